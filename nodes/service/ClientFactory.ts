import { createHash } from 'node:crypto';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
} from 'n8n-workflow';

import { untilAborted } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { rethrow } from '../async/rethrow';
import { messageOf, ServiceError } from '../errors/ServiceError';
import type { Account } from './Account';
import { checkApiKey, isUsableApiKey, toApiKey } from './apiKey';
import { toBaseUrl } from './baseUrl';
import { HttpClient, toAbsoluteUrl, type Connection } from './HttpClient';
import { Redactor } from './redact';
import { RenewableKey } from './RenewableKey';
import { ServiceClient } from './ServiceClient';

/** The name of the credential type. */
const CREDENTIAL = 'browserAgentApi';

/** The functions of n8n that a client needs, from an execution or from a trigger's poll. */
export interface N8nFunctions extends Pick<IExecuteFunctions, 'getNode' | 'logger'> {
	getCredentials(type: string, itemIndex?: number): Promise<ICredentialDataDecryptedObject>;
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'>;
}

/** What all clients in this process share. */
export interface SharedState {
	clock: Clock;
	/**
	 * Returns the account with this ID, whose rate limits hold for all executions together. Creates
	 * it if needed. From now on, that is `known`, if given: its key was replaced by that in `id`.
	 */
	accountOf(id: string, known?: Account): Account;
}

// No run has as many items.
const NO_ITEM = Number.MAX_SAFE_INTEGER;

/**
 * Creates the clients of a run. A credential may contain expressions, so it may differ from item to
 * item; items with the same base URL and key share a client.
 */
export class ClientFactory {
	private readonly clients = new Map<Account, ServiceClient>();

	// An item may name many jobs, and each `getCredentials` call reads n8n's database.
	private readonly byItem = new Map<number, Promise<ServiceClient>>();

	constructor(
		private readonly context: N8nFunctions,
		private readonly shared: SharedState,
	) {}

	/**
	 * Returns the client for an item. Throws a `NodeFailure` if its base URL can't be used or, with
	 * `checksKey`, its API key, and what n8n throws if it can't resolve the credential. Without
	 * `checksKey`, calls that send an unusable key fail with `notSent`.
	 */
	async clientFor(itemIndex: number, { checksKey = false } = {}): Promise<ServiceClient> {
		const client = this.byItem.get(itemIndex) ?? this.createFor(itemIndex, checksKey);
		this.byItem.set(itemIndex, client);
		return await client;
	}

	/** Redacts the secrets of all clients in one of our own messages, whatever its length. */
	redact(text: string): string {
		return [...this.clients.values()].reduce(
			(rest, client) => client.redactor.redact(rest, Infinity),
			text,
		);
	}

	/**
	 * Redacts the secrets of all clients in data. Data with more than 20,000 characters of JSON
	 * becomes JSON text, which is not cut.
	 */
	redactData(data: unknown): unknown {
		return [...this.clients.values()].reduce(
			(rest, client) => client.redactor.redactData(rest, Infinity),
			data,
		);
	}

	/**
	 * Whether the credential resolves to the same account for every item, and doesn't depend on the
	 * item at all. Call it after `clientFor` was called for all items. It resolves the credential for
	 * the index after the last item, where an expression that depends on the item has no data, and
	 * keeps that client, too.
	 */
	async resolvesToOneAccount(itemCount: number): Promise<boolean> {
		try {
			await this.clientFor(itemCount);
			return this.clients.size === 1;
		} catch {
			return false;
		}
	}

	/**
	 * Returns a client for an item whose credential could not be loaded. Each of its calls reads the
	 * credential again. As long as that fails, so does the call, as if the service could not be
	 * reached.
	 */
	unloadedClient(itemIndex: number): ServiceClient {
		const { clock } = this.shared;
		const redactor = new Redactor('');
		const send: Connection['send'] = async (options, withKey) => {
			const signal = options.abortSignal as AbortSignal;
			const data = await this.loadFor(connection, itemIndex, signal);
			const url = toAbsoluteUrl(options.url, connection.baseUrl);
			return await this.senderFor(toDecrypted(data))({ ...options, url }, withKey);
		};
		const connection: Connection = { send, baseUrl: '', redactor, clock };
		// Not shared with runs that have another credential: they could not pause its jobs.
		const { id } = this.context.getNode().credentials?.[CREDENTIAL] ?? {};
		const account = this.shared.accountOf(`credential ${id ?? ''} of item ${itemIndex}`);
		const client = new ServiceClient(new HttpClient(connection), account);
		this.clients.set(client.account, client);
		return client;
	}

	/**
	 * Loads the credential of a client that has none, and gives its connection the base URL and the
	 * redactor the key. Throws `unreachable` if it can't be loaded before the signal is aborted, or
	 * leads to another service than before: the request may have the earlier one's URL.
	 */
	private async loadFor(
		connection: Connection,
		itemIndex: number,
		signal: AbortSignal,
	): Promise<ICredentialDataDecryptedObject> {
		const { redactor } = connection;
		try {
			const reading = this.context.getCredentials(CREDENTIAL, itemIndex);
			const data = await untilAborted(reading, signal);
			if (data === undefined) throw new Error('The credential could not be loaded in time');
			redactor.addKey(toApiKey(data.apiKey));
			const baseUrl = toBaseUrl(data.baseUrl);
			if (connection.baseUrl !== '' && connection.baseUrl !== baseUrl) {
				throw new Error('The base URL of the credential was changed');
			}
			connection.baseUrl = baseUrl;
			return data;
		} catch (error) {
			const detail = redactor.toPlainText(messageOf(error));
			return rethrow(new ServiceError({ kind: 'unreachable', detail }, error));
		}
	}

	private async createFor(itemIndex: number, checksKey: boolean): Promise<ServiceClient> {
		const credentials = await this.context.getCredentials(CREDENTIAL, itemIndex);
		if (checksKey) checkApiKey(toApiKey(credentials.apiKey));
		const created = this.createWithN8nHelpers(credentials, itemIndex);
		const client = this.clients.get(created.account) ?? created;
		this.clients.set(client.account, client);
		return client;
	}

	private createWithN8nHelpers(
		data: ICredentialDataDecryptedObject,
		itemIndex: number,
	): ServiceClient {
		const decrypted = toDecrypted(data);
		const send = this.senderFor(decrypted);
		const client = createClient(data, send, this.shared, async () => {
			const renewed = await this.readNewKey(decrypted.data ?? {}, itemIndex);
			if (renewed === undefined) return false;
			client.redactor.addKey(toApiKey(renewed.apiKey));
			decrypted.data = renewed;
			this.shared.accountOf(toAccountId(renewed), client.account);
			return true;
		});
		return client;
	}

	/**
	 * Returns what sends requests with n8n's helpers, and with this credential as it is when the
	 * request is sent.
	 */
	private senderFor(decrypted: ICredentialsDecrypted): Connection['send'] {
		const { getNode, getCredentials, helpers, logger } = this.context;
		// Without the rest of the context: n8n would end every request when the execution is stopped,
		// but a start or a pause must be able to outlive a Stop.
		const detached = {
			getNode: getNode.bind(this.context),
			getCredentials: getCredentials.bind(this.context),
			helpers,
			logger,
		} as IExecuteFunctions;
		return async (options, withKey) => {
			if (!withKey) return await helpers.httpRequest(options);
			return await helpers.httpRequestWithAuthentication.call(detached, CREDENTIAL, options, {
				credentialsDecrypted: decrypted,
			});
		};
	}

	/**
	 * Reads the credential of an item again, and returns it if it has another key for the same base
	 * URL. Undefined if it hasn't, or if the credential depends on the item: its key may be that of
	 * another account.
	 */
	private async readNewKey(
		{ baseUrl, apiKey }: ICredentialDataDecryptedObject,
		itemIndex: number,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		const read = async (index: number) => await this.context.getCredentials(CREDENTIAL, index);
		const isOther = (one: ICredentialDataDecryptedObject) => {
			const key = toApiKey(one.apiKey);
			const isSameService = toBaseUrl(one.baseUrl) === toBaseUrl(baseUrl);
			return isSameService && isUsableApiKey(key) && key !== toApiKey(apiKey);
		};
		// An expression that depends on the item has no data here, or throws.
		if (!isOther(await read(NO_ITEM))) return undefined;
		const renewed = await read(itemIndex);
		return isOther(renewed) ? renewed : undefined;
	}
}

// Passed on, since n8n would otherwise read and decrypt the credential again for each request.
function toDecrypted(data: ICredentialDataDecryptedObject): ICredentialsDecrypted {
	return { id: '', name: CREDENTIAL, type: CREDENTIAL, data };
}

/**
 * Creates the client for a credential. Throws a `NodeFailure` if its base URL can't be used.
 * `readKeyAgain`: as `RenewableKey` takes it.
 */
export function createClient(
	data: ICredentialDataDecryptedObject,
	send: Connection['send'],
	shared: SharedState,
	readKeyAgain?: () => Promise<boolean>,
): ServiceClient {
	const redactor = new Redactor(toApiKey(data.apiKey));
	const baseUrl = toBaseUrl(data.baseUrl);
	const key = new RenewableKey(readKeyAgain);
	const { clock } = shared;
	const http = new HttpClient({ send, baseUrl, redactor, clock, key });
	return new ServiceClient(http, shared.accountOf(toAccountId(data)));
}

/**
 * Returns what identifies an account within this process: base URL and API key. Throws a
 * `NodeFailure` if the base URL can't be used.
 */
function toAccountId({ baseUrl, apiKey }: ICredentialDataDecryptedObject): string {
	const keyHash = createHash('sha256').update(toApiKey(apiKey)).digest('hex');
	return `${toBaseUrl(baseUrl)} ${keyHash}`;
}
