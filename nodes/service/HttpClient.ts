import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { rethrow } from '../async/rethrow';
import { ServiceError, type ServiceErrorFacts } from '../errors/ServiceError';
import { isObject } from '../isObject';
import { toConnectionError } from './connectionError';
import { MB, readText, type HttpResponse, type OpenResponse } from './httpResponse';
import { parseBody } from './parseJson';
import type { Permit } from './RateLimiter';
import type { Redactor } from './redact';
import { toDetail, toStatusError } from './responseError';

/**
 * n8n's HTTP helper, with or without the credential's signature. Rejects if there is no response.
 */
export type Send = (options: IHttpRequestOptions) => Promise<OpenResponse>;

/** How the service is reached. */
export interface Connection {
	/** As `toBaseUrl` returns it. */
	baseUrl: string;
	sendSigned: Send;
	sendUnsigned: Send;
	redactor: Redactor;
	clock: Clock;
}

export interface HttpRequest {
	method: 'GET' | 'POST';
	url: string;
	/** JSON text. */
	body?: string;
	isUnsigned?: boolean;
	/** Whether any type of content is wanted, and exactly as it is stored. */
	isFile?: boolean;
	/** For the whole exchange, until the last byte; default 30 s. */
	timeoutMs?: number;
	/** The clock's time at which the exchange should be over; it gets 3 s more. */
	deadline?: number;
	signal?: AbortSignal;
	/** Waits until a rate limit permits the request; unset: no limit applies. */
	acquire?: () => Promise<Permit | undefined>;
}

const TIMEOUT_MS = 30_000;
const DEADLINE_GRACE_MS = 3_000;
// Unpacked.
const MAX_BYTES = 5 * MB;
const MAX_ERROR_BYTES = MB / 16;

/**
 * HTTP within the rate limits, bounded in size and time, never redirected. All errors are
 * `ServiceError`s, whose `detail` is redacted and short.
 */
export class HttpClient {
	constructor(readonly connection: Connection) {}

	/**
	 * Sends a request once its rate limit permits it, and returns a 2xx response. Any other one is
	 * thrown as a `ServiceError` of its status, with what the service says about it.
	 */
	async send(request: HttpRequest): Promise<HttpResponse> {
		const permit = await request.acquire?.();
		try {
			const response = await this.exchange(request);
			if (response.statusCode < 200 || response.statusCode >= 300) {
				throw toStatusError(response, this.connection.redactor);
			}
			permit?.release();
			return response;
		} catch (error) {
			permit?.release(error);
			rethrow(error);
		}
	}

	/**
	 * Sends a request at once, without its rate limit, and returns the response whatever its status.
	 * Throws `tooLarge` for a success of more than 5 MB; the body of any other response is left out
	 * if it has more than 64 kB. Throws `timeout` after `timeoutMs`, or 3 s after `deadline`, and
	 * `connectionLost` or `aborted`.
	 */
	async exchange(request: HttpRequest): Promise<HttpResponse> {
		const { timeoutMs = TIMEOUT_MS, deadline = Infinity } = request;
		const { clock } = this.connection;
		const leftMs = Math.max(0, deadline - clock.now()) + DEADLINE_GRACE_MS;
		const signal = anySignal(request.signal, clock.timeout(Math.min(timeoutMs, leftMs)));
		const { statusCode, headers, body } = await this.open(request, signal);
		try {
			const text = await readText(body, statusCode >= 300 ? MAX_ERROR_BYTES : MAX_BYTES);
			return { statusCode, headers, body: parseBody(text) };
		} catch (error) {
			// The status of a failure is what counts, with or without its text.
			if (statusCode >= 300) return { statusCode, headers, body: undefined };
			// Once there is a status, the request has arrived, whatever went wrong with the body.
			const kind = signal.aborted ? 'timeout' : 'connectionLost';
			throw toServiceError(error, { kind }, request.signal);
		}
	}

	/**
	 * Sends a request and returns the response as soon as its head is there, whatever its status.
	 * `signal` ends the request, and the body while it is read. Throws what `toConnectionError` says.
	 */
	async open(request: HttpRequest, signal: AbortSignal): Promise<OpenResponse> {
		const { sendSigned, sendUnsigned, redactor } = this.connection;
		const send = request.isUnsigned === true ? sendUnsigned : sendSigned;
		try {
			return await send(toOptions(request, signal));
		} catch (error) {
			const { kind, detail } = toConnectionError(error);
			const facts = { kind, detail: redactor.toPlainText(detail) };
			throw toServiceError(error, facts, request.signal);
		}
	}

	/** The body of a response as an object. Throws `unreadable` for anything else. */
	objectOf({ statusCode, body }: HttpResponse): IDataObject {
		if (isObject(body)) return body;
		const detail = toDetail(body, this.connection.redactor);
		throw new ServiceError({ kind: 'unreadable', statusCode, detail });
	}
}

// A new object for each call, since n8n changes it. With statuses not ignored, n8n would send a
// request that got a 401 a second time and hide the service's `detail`.
function toOptions(request: HttpRequest, signal: AbortSignal): IHttpRequestOptions {
	const { method, url, body, isFile = false } = request;
	return {
		method,
		url,
		// JSON as text, since n8n drops an empty object.
		...(body === undefined ? {} : { body }),
		headers: {
			Accept: isFile ? '*/*' : 'application/json',
			// With compression, `Content-Length` would not be the file's own.
			...(isFile ? { 'Accept-Encoding': 'identity' } : {}),
			...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
		},
		// Only a stream lets the reader stop: n8n would unpack a body of any size into memory.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		abortSignal: signal,
	};
}

// Stopped requests fail in one way or another.
function toServiceError(
	error: unknown,
	facts: ServiceErrorFacts,
	stop: AbortSignal | undefined,
): ServiceError {
	if (error instanceof ServiceError) return error;
	return new ServiceError(stop?.aborted === true ? { kind: 'aborted' } : facts, error);
}
