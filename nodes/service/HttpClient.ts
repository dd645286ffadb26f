import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { factsOf, ServiceError, type FailureFacts } from '../errors/ServiceError';
import { isObject } from '../isObject';
import { MB } from '../units';
import { redirectOf, toConnectionError, toStatusError, unreadableError } from './callError';
import { readText, type HttpResponse, type OpenResponse } from './httpResponse';
import { parseBody } from './parseJson';
import type { Redactor } from './redact';
import { RenewableKey } from './RenewableKey';

/** What an `HttpClient` needs to send requests. */
export interface Connection {
	/** The URL that `toBaseUrl` returns. */
	baseUrl: string;
	/**
	 * Sends a request by n8n's HTTP helper, with or without the credential's key. Resolves to a
	 * response of any status, whose body has not been read. Rejects if there is no response.
	 */
	send: (options: IHttpRequestOptions, withKey: boolean) => Promise<OpenResponse>;
	redactor: Redactor;
	clock: Clock;
	/** The key that is sent. Unset: one that stays the same. */
	key?: RenewableKey;
}

/** A request to the service, or to a link. */
export interface HttpRequest {
	method: 'GET' | 'POST';
	/** An absolute URL. */
	url: string;
	/** JSON text. If unset, the request has no body. */
	body?: string;
	/** Whether to send the request without the API key. Default: false. */
	omitsKey?: boolean;
	/** Whether to accept any content type, and ask for an uncompressed body. Default: JSON only. */
	isFile?: boolean;
	/** The limit in ms for the whole exchange, until the last byte of the response. Default: 30 s. */
	timeoutMs?: number;
	/**
	 * When the exchange should be over, in ms, from `Clock.elapsed()`. It is aborted 3 s later.
	 * Default: none.
	 */
	endBy?: number;
	/** Aborts the exchange. */
	signal?: AbortSignal;
	/** A longer Retry-After counts as this, in ms. Default: a day; one beyond that is ignored. */
	maxRetryAfterMs?: number;
}

const TIMEOUT_MS = 30_000;
const GRACE_MS = 3_000;
// Of the decompressed body.
const MAX_BYTES = 5 * MB;

/**
 * Sends HTTP requests, bounded in size and time, and follows no redirects.
 * Its errors are `ServiceError`s, whose `detail` is redacted and short.
 */
export class HttpClient {
	private readonly key: RenewableKey;

	constructor(readonly connection: Connection) {
		this.key = connection.key ?? new RenewableKey();
	}

	/**
	 * Sends a request at once, and returns a 2xx response. Throws what `exchange` throws and, for any
	 * other response, the error for its status, with what the response says as its `detail`.
	 */
	async send(request: HttpRequest): Promise<HttpResponse> {
		const { version } = this.key;
		const response = await this.exchange(request);
		if (response.statusCode < 200 || response.statusCode >= 300) {
			const error = toStatusError(response, this.connection.redactor, request.maxRetryAfterMs);
			if (error.isOwnUnauthorized) throw new ServiceError({ ...error.facts, keyVersion: version });
			throw this.withAddress(error, request, response);
		}
		if (request.omitsKey !== true) this.key.recordSuccess();
		return response;
	}

	/**
	 * Whether a call has failed with this error because the service did not accept its key, and the
	 * key has been replaced since. May read the credential again, so end the call's turn before.
	 * Never rejects.
	 */
	async hasNewKey(error: unknown): Promise<boolean> {
		const { keyVersion } = factsOf(error);
		return keyVersion !== undefined && (await this.key.isReplaced(keyVersion));
	}

	/**
	 * Sends a request at once, and returns the response whatever its status. If the body of an error
	 * response has more than 5 MB, or can't be read to its end for any reason, it is undefined.
	 * Otherwise, throws `tooLarge` for more than 5 MB, `timeout` after `timeoutMs`, or 3 s after
	 * `endBy`, `aborted` once the request's `signal` is aborted, and `connectionLost` or another kind
	 * that `toConnectionError` returns.
	 */
	async exchange(request: HttpRequest): Promise<HttpResponse> {
		const { timeoutMs = TIMEOUT_MS, endBy = Infinity } = request;
		const { clock } = this.connection;
		const leftMs = Math.max(0, endBy - clock.elapsed()) + GRACE_MS;
		const timeout = clock.timeout(Math.min(timeoutMs, leftMs));
		const { statusCode, headers, body } = await this.open(request, timeout);
		try {
			const text = await readText(body, MAX_BYTES);
			return { statusCode, headers, body: parseBody(text), text };
		} catch (error) {
			// The status of an error response is what counts, with or without its body.
			if (statusCode >= 300) return { statusCode, headers, body: undefined };
			// A status was received, so the request reached the service. The error must not suggest
			// otherwise.
			const kind = timeout.aborted ? 'timeout' : 'connectionLost';
			throw toServiceError(error, { kind }, request.signal);
		}
	}

	/**
	 * Sends a request and returns the response as soon as its headers have arrived, whatever its
	 * status. Aborts the request, or the reading of its response, when `request.signal` or
	 * `timeLimit` is aborted. Throws `aborted` for `request.signal`, and the kinds that
	 * `toConnectionError` returns.
	 */
	async open(request: HttpRequest, timeLimit: AbortSignal): Promise<OpenResponse> {
		const { send, redactor } = this.connection;
		const options = toOptions(request, anySignal(request.signal, timeLimit));
		try {
			return await send(options, request.omitsKey !== true);
		} catch (error) {
			const { detail, ...facts } = toConnectionError(error);
			const safeDetail = detail === undefined ? undefined : redactor.toPlainText(detail);
			throw toServiceError(error, { ...facts, detail: safeDetail }, request.signal);
		}
	}

	/**
	 * Adds to a 404 what was asked for, and to a redirect where it leads: a wrong base URL shows in
	 * them.
	 */
	private withAddress(
		error: ServiceError,
		{ method, url }: HttpRequest,
		response: HttpResponse,
	): ServiceError {
		const { redactor, baseUrl } = this.connection;
		const requested = toAbsoluteUrl(url, baseUrl);
		if (error.kind === 'notFound') {
			const { pathname, host } = new URL(requested);
			const asked = redactor.toPlainText(`${method} ${pathname} at ${host}`);
			return new ServiceError({ ...error.facts, asked });
		}
		if (error.kind !== 'redirect') return error;
		return new ServiceError({
			...error.facts,
			redirect: redirectOf(response, requested, this.connection),
		});
	}

	/** Returns the body of a response if it is an object. Throws `unreadable` for any other body. */
	objectOf(response: HttpResponse): IDataObject {
		if (isObject(response.body)) return response.body;
		throw unreadableError(response, this.connection.redactor);
	}
}

// Creates a new object for each call, since n8n mutates it. Without `ignoreHttpStatusErrors`, n8n
// would resend a request after a 401, and hide the service's `detail`.
function toOptions(request: HttpRequest, signal: AbortSignal): IHttpRequestOptions {
	const { method, url, body, isFile = false } = request;
	return {
		method,
		url,
		// JSON text, since n8n would drop an empty object.
		...(body === undefined ? {} : { body }),
		headers: {
			Accept: isFile ? '*/*' : 'application/json',
			// With compression, `Content-Length` would not be the size of the file.
			...(isFile ? { 'Accept-Encoding': 'identity' } : {}),
			...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
		},
		// Only a stream lets the reader stop: n8n would decompress a body of any size into memory.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		abortSignal: signal,
		// None but the signal's: n8n's own five minutes would also pass while it stores a file.
		timeout: 0,
	};
}

// An aborted request can fail with any error, so the signal decides.
function toServiceError(
	error: unknown,
	facts: FailureFacts,
	callerSignal: AbortSignal | undefined,
): ServiceError {
	if (error instanceof ServiceError) return error;
	return new ServiceError(callerSignal?.aborted === true ? { kind: 'aborted' } : facts, error);
}

/**
 * Returns the URL of a request, which is only a path if it was built before the client knew its
 * base URL.
 */
export function toAbsoluteUrl(url: string, baseUrl: string): string {
	return url.startsWith('/') ? baseUrl + url : url;
}
