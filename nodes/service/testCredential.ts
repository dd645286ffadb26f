import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { ServiceError, type ServiceErrorKind } from '../errors/ServiceError';
import { toNodeFailure } from '../errors/toNodeFailure';
import { addApiKey } from './apiKey';
import { toBaseUrl } from './baseUrl';
import { createClient, type SharedState } from './ClientFactory';
import type { Connection } from './HttpClient';
import type { OpenResponse } from './httpResponse';

type LegacyRequest = ICredentialTestFunctions['helpers']['request'];

const TIMEOUT_MS = 15_000;

const NOT_THE_SERVICE =
	"Something is responding at this address, but it is not the Browser Agent service. Check 'Base URL'.";
const HTTPS_EXPECTED =
	"The service did not accept the connection. Check 'Base URL': the port may expect https:// instead of http://.";

// The service has the endpoint, accepts the request and responds with data, so these errors come
// from something else.
const NEVER_FROM_THE_SERVICE: ServiceErrorKind[] = [
	'notFound',
	'rejected',
	'tooLarge',
	'unreadable',
];

/**
 * Tests a credential by reading the balance. Never rejects, since n8n would show a message of its
 * own instead.
 */
export async function testCredential(
	{ helpers }: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
	shared: SharedState,
): Promise<INodeCredentialTestResult> {
	try {
		const send = createLegacySend(helpers.request, data);
		const client = createClient(data, send, shared);
		const endBy = shared.clock.elapsed() + TIMEOUT_MS;
		const { plan } = await client.getCreditBalance({ group: 'credential test', endBy });
		// Any web server may respond to the request with JSON.
		if (plan === undefined) return { status: 'Error', message: NOT_THE_SERVICE };
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: toTestMessage(error, data.baseUrl) };
	}
}

/** Returns `testCredential` in the form n8n expects: a function that gets its helpers as `this`. */
export function createCredentialTest(shared: SharedState) {
	return async function test(
		this: ICredentialTestFunctions,
		credential: ICredentialsDecrypted,
	): Promise<INodeCredentialTestResult> {
		return await testCredential(this, credential, shared);
	};
}

function toTestMessage(error: unknown, baseUrl: unknown): string {
	if (error instanceof ServiceError) {
		const { kind, statusCode } = error.facts;
		// The address is valid, since a request was sent.
		const isPlain = toBaseUrl(baseUrl).startsWith('http:');
		if (isPlain && (kind === 'connectionLost' || statusCode === 400)) return HTTPS_EXPECTED;
		// A proxy that requires a login says nothing about the address.
		if (NEVER_FROM_THE_SERVICE.includes(kind) && statusCode !== 407) return NOT_THE_SERVICE;
	}
	// n8n shows only the message, so it includes the description. What the service said is redacted.
	const { message, details } = toNodeFailure(error);
	return [message, details.description].filter((text) => text !== undefined).join('. ');
}

/**
 * Wraps n8n's deprecated HTTP helper, the only one that a credential test has, as that of a
 * `Connection`. It sends no body, and needs `abortSignal`.
 */
function createLegacySend(
	request: LegacyRequest,
	credential: ICredentialDataDecryptedObject,
): Connection['send'] {
	return async (options, withKey) => {
		const { method, url, headers, abortSignal } = withKey
			? addApiKey(credential, options)
			: options;
		const response: OpenResponse = await request({
			method,
			uri: url,
			headers,
			useStream: true,
			resolveWithFullResponse: true,
			simple: false,
			followRedirect: false,
			timeout: TIMEOUT_MS,
		});
		// This helper doesn't support signals.
		const signal = abortSignal as AbortSignal;
		const close = () => void response.body.destroy();
		if (signal.aborted) {
			close();
			throw new ServiceError({ kind: 'timeout' });
		}
		signal.addEventListener('abort', close, { once: true });
		return response;
	};
}
