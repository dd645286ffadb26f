import {
	ExpressionError,
	NodeOperationError,
	OperationalError,
	UserError,
	type IDataObject,
} from 'n8n-workflow';

import { NodeFailure } from '../errors/NodeFailure';
import {
	ServiceError,
	type FailureFacts,
	type ServiceErrorKind,
	messageOf,
	causesOf,
} from '../errors/ServiceError';
import { kindOfStatus, type Redirect } from '../errors/serviceErrorKinds';
import { isObject } from '../isObject';
import { parseUrl } from './baseUrl';
import type { HttpResponse } from './httpResponse';
import { quoteBody } from './quoteBody';
import type { Redactor } from './redact';

// A longer Retry-After is probably a mistake, and would block the account for days.
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the error for a response whose status is not 2xx. Its Retry-After counts as
 * `maxRetryAfterMs` at most. One of more than a day is ignored.
 */
export function toStatusError(
	response: HttpResponse,
	redactor: Redactor,
	maxRetryAfterMs?: number,
): ServiceError {
	const facts = statusFacts(response, maxRetryAfterMs);
	return new ServiceError({ ...facts, ...bodyFacts(response, redactor) });
}

/**
 * Returns the error for a 2xx response without the expected data. `missing`: what is missing, if
 * the response itself says nothing.
 */
export function unreadableError(
	response: HttpResponse,
	redactor: Redactor,
	missing?: string,
): ServiceError {
	const { statusCode } = response;
	const { detail = missing, ...facts } = bodyFacts(response, redactor);
	return new ServiceError({ kind: 'unreadable', statusCode, ...facts, detail });
}

/**
 * Returns where a redirect leads, without its query, which may contain secrets. Undefined without a
 * valid target. `url`: what was asked for.
 */
export function redirectOf(
	{ headers: { location } }: HttpResponse,
	url: string,
	{ baseUrl, redactor }: { baseUrl: string; redactor: Redactor },
): Redirect | undefined {
	const to = typeof location === 'string' ? parseUrl(location, url) : undefined;
	if (to === undefined || !['http:', 'https:'].includes(to.protocol)) return undefined;
	const target = redactor.toPlainText(to.origin + to.pathname);
	const path = url.slice(baseUrl.length);
	const isMoved = target.endsWith(path);
	return isMoved ? { target, baseUrl: target.slice(0, -path.length) } : { target };
}

/** Whether a body is that of a web page, e.g. a proxy's: the service sends JSON only. */
export function isWebPage(body: unknown): boolean {
	return typeof body === 'string' && /^\s*</.test(body);
}

/** Throws `rejected` if a 2xx response reports an error as its status. */
export function throwIfRejected(response: HttpResponse, redactor: Redactor): void {
	const { statusCode, body } = response;
	if (!hasErrorStatus(body)) return;
	throw new ServiceError({ kind: 'rejected', statusCode, ...bodyFacts(response, redactor) });
}

/** Returns the status, its kind and the Retry-After of a response that is an error. */
export function statusFacts(
	{ statusCode, headers }: Omit<HttpResponse, 'body'>,
	maxRetryAfterMs = MAX_RETRY_AFTER_MS,
): FailureFacts {
	const wantedMs = readRetryAfter(headers);
	const retryAfterMs = wantedMs === undefined ? undefined : Math.min(wantedMs, maxRetryAfterMs);
	return { kind: kindOfStatus(statusCode), statusCode, retryAfterMs };
}

/** Returns what a body says, redacted and short, and whether it seems to be the service's. */
function bodyFacts(
	response: HttpResponse,
	redactor: Redactor,
): Pick<FailureFacts, 'isFromService' | 'isPage' | 'detail'> {
	const { body } = response;
	const isPage = isWebPage(body);
	const detail = isPage ? 'a web page' : quoteBody(response, redactor);
	// The service sends an ErrorResponse, an HTTPValidationError or an ApiResponse of
	// api/openapi.yaml; gateways send anything.
	const isFromService =
		isObject(body) && ('detail' in body || 'status_code' in body || hasErrorStatus(body));
	return {
		isFromService,
		isPage: isPage ? true : undefined,
		detail: detail === '' ? undefined : detail,
	};
}

function hasErrorStatus(body: unknown): boolean {
	const status = isObject(body) ? body.status : undefined;
	return typeof status === 'string' && status.trim().toLowerCase() === 'error';
}

// Returns ms. Retry-After is in seconds, or a date. Anything else, and more than a day, is ignored.
function readRetryAfter({ 'retry-after': header, date }: IDataObject): number | undefined {
	if (typeof header !== 'string') return undefined;
	const ms = /^\d+$/.test(header) ? Number(header) * 1000 : msUntil(header, date);
	return ms <= MAX_RETRY_AFTER_MS ? Math.max(0, ms) : undefined;
}

/**
 * Returns the time in ms from a response's `Date` header to `end`, or NaN if either isn't a date.
 */
function msUntil(end: string, responseDate: unknown): number {
	if (!HTTP_DATE.test(end) || typeof responseDate !== 'string') return NaN;
	return Date.parse(end) - Date.parse(responseDate);
}

// Node.js raises these errors before it writes the request, so they prove that nothing arrived. Any
// other error may follow a request that was processed: an intermediary may break TLS on an open
// connection.
const NOT_CONNECTED = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED'];
const CONNECTING = ['connect', 'getaddrinfo'];
const INVALID_CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO_)/;
const TIMEOUT = ['ETIMEDOUT', 'ESOCKETTIMEDOUT'];
// How OpenSSL reports a response without TLS, e.g. in plain HTTP.
const NO_TLS = /wrong version number|packet length too long|unknown protocol/;
// How Axios reports that a limit of ours has ended the request.
const ABORTED = ['ERR_CANCELED', 'ECONNABORTED'];

/**
 * Returns why a request got no response. `error` is what n8n's HTTP helper threw: an Axios error,
 * or an error that wraps one. `detail` is Node.js's message with its code, which names what could
 * not be reached, or says that a port does not use TLS. Without a code, it may be any message, and
 * may contain secrets.
 */
export function toConnectionError(error: unknown): Pick<FailureFacts, 'kind' | 'code' | 'detail'> {
	const failure = codedErrorsIn(error).at(-1);
	if (failure === undefined) {
		// n8n wraps whatever happened, so only the last causes say what that was.
		const causes = causesOf(error);
		const kind = wasNotSent(causes) ? 'notSent' : 'connectionLost';
		return { kind, detail: messageOf(causes.at(-1) ?? error) };
	}
	const { code, message } = failure;
	// Without a detail: Axios calls this "canceled", by which n8n would recognize a Stop.
	if (ABORTED.includes(code)) return { kind: 'timeout' };
	const reason = NO_TLS.test(message) ? 'the port responded without TLS' : message;
	const detail = reason.includes(code) ? reason : `${reason} (${code})`;
	return { kind: kindOfFailure(failure), code, detail };
}

/**
 * Whether n8n, or the credential, certainly did not send a request, e.g. to a blocked host.
 * `causes`: the error and its causes, none of which has a code. Any other error, e.g. a proxy's,
 * doesn't say whether the request was sent.
 */
function wasNotSent(causes: Error[]): boolean {
	const [parent, last] = [causes.at(-2), causes.at(-1)];
	// n8n creates the cause of a `NodeOperationError` that is made of text.
	if (parent instanceof NodeOperationError) return isOneOf(last, [OperationalError]);
	return isOneOf(last, [NodeFailure, UserError, NodeOperationError, ExpressionError]);
}

/** Older versions of n8n-workflow lack some of its classes. */
function isOneOf(error: unknown, classes: Array<abstract new (...args: never[]) => Error>) {
	return classes.some((one) => (one as unknown) !== undefined && error instanceof one);
}

/** An error of Node.js, which says what failed. */
interface CodedError extends Error {
	code: string;
	/** What the system was asked for. */
	syscall?: string;
}

/**
 * Returns the errors with a code among an error and its causes, the root cause last. A name may
 * have several addresses. If none can be reached, each has an error of its own.
 */
function codedErrorsIn(error: unknown): CodedError[] {
	return causesOf(error)
		.flatMap((cause): unknown[] => (cause instanceof AggregateError ? cause.errors : [cause]))
		.filter((cause): cause is CodedError => typeof (cause as CodedError).code === 'string');
}

function kindOfFailure({ code, syscall }: CodedError): ServiceErrorKind {
	const isNotConnected = NOT_CONNECTED.includes(code) || CONNECTING.includes(syscall ?? '');
	if (isNotConnected || INVALID_CERTIFICATE.test(code)) return 'unreachable';
	return TIMEOUT.includes(code) ? 'timeout' : 'connectionLost';
}
