import type { ICredentialTestFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { untilAborted } from '../async/abortSignals';
import { ServiceError } from '../errors/ServiceError';
import type { Send } from './HttpClient';
import type { ByteStream } from './httpResponse';

type LegacyRequest = ICredentialTestFunctions['helpers']['request'];

interface LegacyResponse {
	body: ByteStream;
}

// The client has its own time limit; this one only makes n8n drop abandoned connections.
const MAX_SILENCE_MS = 30_000;

/** n8n's deprecated HTTP helper as a `Send` without a body: a credential test has no other. */
export function createLegacySend(request: LegacyRequest): Send {
	return async (options) => {
		const signal = options.abortSignal as AbortSignal;
		const sent: Promise<LegacyResponse> = request(toLegacyOptions(options));
		const response = await untilAborted(
			sent.then((received) => closedBy(signal, received)),
			signal,
		);
		if (response === undefined) throw new ServiceError({ kind: 'timeout' });
		return response;
	};
}

function toLegacyOptions({ method, url, headers }: IHttpRequestOptions) {
	return {
		method,
		uri: url,
		headers,
		useStream: true,
		resolveWithFullResponse: true,
		simple: false,
		followRedirect: false,
		timeout: MAX_SILENCE_MS,
	};
}

// This helper doesn't know signals.
function closedBy(signal: AbortSignal, response: LegacyResponse): LegacyResponse {
	const close = () => void response.body.destroy();
	if (signal.aborted) close();
	else signal.addEventListener('abort', close, { once: true });
	return response;
}
