import { createHash } from 'node:crypto';
import type { ICredentialsDecrypted, IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { currentClock, type Clock } from '../async/clock';
import { accountBudget } from './Account';
import { toBaseUrl } from './baseUrl';
import { isObject, type HttpAnswer, type HttpRequest, type Send } from './HttpClient';
import { Secrets } from './redact';
import { ServiceClient } from './ServiceClient';

export const CREDENTIAL = 'browserAgentApi';

// n8n's time-out is one of silence: an answer that comes drop by drop would never end.
const LONGEST_ANSWER_MS = 5 * 60_000;

/** What a client needs of an execution; a trigger's poll has it too. */
export type ConnectContext = Pick<IExecuteFunctions, 'getCredentials' | 'getNode' | 'logger'> & {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'>;
};

/**
 * Makes a client for the node's credential. Sends nothing.
 * Throws a `BaseUrlError` when the credential's address cannot be used.
 */
export async function connect(context: ConnectContext): Promise<ServiceClient> {
	const credentials = await context.getCredentials(CREDENTIAL);
	const baseUrl = toBaseUrl(credentials.baseUrl);
	const clock = currentClock();
	const secrets = new Secrets();
	secrets.add(credentials.apiKey);

	// n8n reads and decrypts the credential again for every request that does not bring it along.
	const decrypted: ICredentialsDecrypted = {
		id: '',
		name: CREDENTIAL,
		type: CREDENTIAL,
		data: credentials,
	};
	// Through the whole context, n8n would put the execution's own signal on every request, and a
	// start or a pause must be able to outlive a Stop.
	const { getNode, getCredentials, helpers, logger } = context;
	const detached = {
		getNode: getNode.bind(context),
		getCredentials: getCredentials.bind(context),
		helpers,
		logger,
	} as IExecuteFunctions;

	return new ServiceClient({
		baseUrl,
		sendSigned: createSend(
			async (options) =>
				await helpers.httpRequestWithAuthentication.call(detached, CREDENTIAL, options, {
					credentialsDecrypted: decrypted,
				}),
			clock,
		),
		sendOpen: createSend(async (options) => await helpers.httpRequest(options), clock),
		budget: accountBudget(accountOf(baseUrl, credentials.apiKey), clock),
		secrets,
		clock,
	});
}

function createSend(send: (options: IHttpRequestOptions) => Promise<unknown>, clock: Clock): Send {
	return async (request) => {
		if (request.asStream === true) return toAnswer(await send(toOptions(request)));

		const tooLong = clock.timeout(LONGEST_ANSWER_MS);
		return await endedByEither(tooLong, request.signal, async (signal) =>
			toAnswer(await send(toOptions({ ...request, signal }))),
		);
	};
}

// Costs less than `AbortSignal.any`, which leaves its work to the garbage collector.
async function endedByEither<Answer>(
	one: AbortSignal,
	other: AbortSignal | undefined,
	ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
	const either = new AbortController();
	const end = () => either.abort();
	if (one.aborted || other?.aborted === true) end();
	one.addEventListener('abort', end);
	other?.addEventListener('abort', end);
	try {
		return await ask(either.signal);
	} finally {
		one.removeEventListener('abort', end);
		other?.removeEventListener('abort', end);
	}
}

// Fresh for each call, since n8n changes them. With statuses not ignored, n8n would send a 401 a
// second time and hide the service's `detail`.
function toOptions({
	method,
	url,
	body,
	timeoutMs,
	signal,
	asStream,
}: HttpRequest): IHttpRequestOptions {
	return {
		method,
		url,
		// As text, since n8n drops an empty object.
		...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
		// Compressed, a file's length on the way would say nothing of the file's own.
		...(asStream === true
			? { encoding: 'stream', headers: { Accept: '*/*', 'Accept-Encoding': 'identity' } }
			: { json: true }),
		timeout: timeoutMs,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		...(signal === undefined ? {} : { abortSignal: signal }),
	};
}

function toAnswer(response: unknown): HttpAnswer {
	const { statusCode, headers, body } = isObject(response) ? response : {};
	return {
		statusCode: Number(statusCode),
		headers: isObject(headers) ? headers : {},
		body,
	};
}

function accountOf(baseUrl: string, apiKey: unknown): string {
	return `${baseUrl} ${createHash('sha256').update(String(apiKey).trim()).digest('hex')}`;
}
