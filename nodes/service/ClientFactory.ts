import { createHash } from 'node:crypto';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
} from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { Account } from './Account';
import { toBaseUrl } from './baseUrl';
import { HttpClient, type Connection } from './HttpClient';
import { Redactor } from './redact';
import { ServiceClient } from './ServiceClient';

export const CREDENTIAL = 'browserAgentApi';

/** What a client needs of n8n's functions, in an execution or in a trigger's poll. */
export interface N8nFunctions extends Pick<IExecuteFunctions, 'getNode' | 'logger'> {
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'>;
}

/** What a client shares with all others in this process. */
export interface SharedState {
	clock: Clock;
	/** The account of this name, the same one for every execution. */
	accountOf(name: string): Account;
}

type Senders = Pick<Connection, 'sendSigned' | 'sendUnsigned'>;

/**
 * The clients of a run. Credentials may contain expressions; items with the same key share a
 * client.
 */
export class ClientFactory {
	private readonly clients = new Map<Account, ServiceClient>();

	// An item may name many jobs, and n8n reads its database for each credential.
	private readonly ofItems = new Map<number, Promise<ServiceClient>>();

	constructor(
		private readonly context: N8nFunctions,
		private readonly shared: SharedState,
	) {}

	/** Throws a `UserError` if the credential's address can't be used. */
	async clientFor(itemIndex: number): Promise<ServiceClient> {
		const client = this.ofItems.get(itemIndex) ?? this.connect(itemIndex);
		this.ofItems.set(itemIndex, client);
		return await client;
	}

	/** Removes the secrets of all clients from a text of ours, however many jobs it lists. */
	redact(text: string): string {
		return [...this.clients.values()].reduce(
			(rest, client) => client.redactor.redact(rest, Infinity),
			text,
		);
	}

	/** The same for data, of any size. */
	redactData(data: unknown): unknown {
		return [...this.clients.values()].reduce(
			(rest, client) => client.redactor.redactData(rest, Infinity),
			data,
		);
	}

	/** Whether the credential doesn't depend on the item, so that it can be resolved without one. */
	async isSameForAnyItem(itemCount: number): Promise<boolean> {
		try {
			await this.clientFor(itemCount);
			return this.clients.size === 1;
		} catch {
			return false;
		}
	}

	private async connect(itemIndex: number): Promise<ServiceClient> {
		const credentials = await this.context.getCredentials(CREDENTIAL, itemIndex);
		const created = this.createClient(credentials);
		const client = this.clients.get(created.account) ?? created;
		this.clients.set(client.account, client);
		return client;
	}

	private createClient(data: ICredentialDataDecryptedObject): ServiceClient {
		const { getNode, getCredentials, helpers, logger } = this.context;
		// Passed on, because n8n would read and decrypt the credential again for every request.
		const decrypted: ICredentialsDecrypted = { id: '', name: CREDENTIAL, type: CREDENTIAL, data };
		// With the whole context, n8n would end every request with the execution: a start or a pause
		// must be able to outlive a Stop.
		const detached = {
			getNode: getNode.bind(this.context),
			getCredentials: getCredentials.bind(this.context),
			helpers,
			logger,
		} as IExecuteFunctions;
		const senders: Senders = {
			sendUnsigned: (options) => helpers.httpRequest(options),
			sendSigned: (options) =>
				helpers.httpRequestWithAuthentication.call(detached, CREDENTIAL, options, {
					credentialsDecrypted: decrypted,
				}),
		};
		return createClient(data, senders, this.shared);
	}
}

/** The client of a credential. Throws a `UserError` if its address can't be used. */
export function createClient(
	data: ICredentialDataDecryptedObject,
	senders: Senders,
	shared: SharedState,
): ServiceClient {
	const redactor = new Redactor(data.apiKey);
	const baseUrl = toBaseUrl(data.baseUrl);
	const key = createHash('sha256').update(String(data.apiKey).trim()).digest('hex');
	const http = new HttpClient({ ...senders, baseUrl, redactor, clock: shared.clock });
	return new ServiceClient(http, shared.accountOf(`${baseUrl} ${key}`));
}
