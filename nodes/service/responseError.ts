import type { IDataObject } from 'n8n-workflow';

import {
	ServiceError,
	type ServiceErrorFacts,
	type ServiceErrorKind,
} from '../errors/ServiceError';
import { isObject } from '../isObject';
import type { HttpResponse } from './httpResponse';
import type { Redactor } from './redact';

const CLIENT_ERRORS = new Map<number, ServiceErrorKind>([
	[400, 'invalid'],
	[401, 'unauthorized'],
	[402, 'insufficientCredits'],
	[403, 'forbidden'],
	[404, 'notFound'],
	[407, 'proxyUnauthorized'],
	[408, 'timeout'],
	[422, 'invalid'],
	[429, 'rateLimited'],
]);
const MAX_FIELD_ERRORS = 5;
// A longer Retry-After is a mistake, and would block the account for as long as n8n runs.
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Returns the error for a response whose status is not 2xx. */
export function toStatusError(
	{ statusCode, headers, body }: HttpResponse,
	redactor: Redactor,
): ServiceError {
	const facts = statusFacts({ statusCode, headers });
	// The service's own 404 has a `detail`; a gateway's 404 doesn't say whether a job exists.
	const isFromService = isObject(body) && (statusCode !== 404 || 'detail' in body);
	const isForeign = facts.kind === 'notFound' && !isFromService;
	return new ServiceError({
		...facts,
		kind: isForeign ? 'gatewayNotFound' : facts.kind,
		isFromService,
		detail: toDetail(body, redactor),
	});
}

/**
 * Returns the status, its kind and the Retry-After of a response that is an error. A 2xx status is
 * `unreadable`.
 */
export function statusFacts({
	statusCode,
	headers,
}: Omit<HttpResponse, 'body'>): ServiceErrorFacts {
	const retryAfterMs = readRetryAfter(headers);
	return { kind: kindOfStatus(statusCode), statusCode, retryAfterMs };
}

/** Returns what a response says, redacted and short, or undefined if it says nothing. */
export function toDetail(body: unknown, redactor: Redactor): string | undefined {
	const isPage = typeof body === 'string' && /^\s*</.test(body);
	const detail = isPage ? 'a web page' : redactor.toPlainText(textOf(body));
	return detail === '' ? undefined : detail;
}

/** Throws `rejected` for the body of a 2xx response that reports an error as its status. */
export function throwIfRejected(body: unknown, redactor: Redactor): void {
	if (textIn(body, 'status').toLowerCase() !== 'error') return;
	throw new ServiceError({ kind: 'rejected', detail: toDetail(body, redactor) });
}

function kindOfStatus(statusCode: number): ServiceErrorKind {
	if (statusCode >= 500) return 'serverError';
	if (statusCode >= 400) return CLIENT_ERRORS.get(statusCode) ?? 'rejected';
	return statusCode >= 300 ? 'redirect' : 'unreadable';
}

// The service sends an ErrorResponse or an HTTPValidationError of dev/sandbox/openapi.yaml;
// gateways send anything.
function textOf(body: unknown): string {
	if (typeof body === 'string') return body;
	const texts = ['detail', 'message', 'error'].map((name) => textIn(body, name));
	const text = texts.find((one) => one !== '') ?? fieldErrorsIn(body);
	return text === '' ? dataIn(body) : text;
}

/**
 * Returns a `detail` that is data as JSON text, without `input`, which repeats the request and may
 * contain secrets.
 */
function dataIn(body: unknown): string {
	const detail = isObject(body) ? body.detail : undefined;
	if (!isObject(detail) && !Array.isArray(detail)) return '';
	return JSON.stringify(detail, (name, value: unknown) => (name === 'input' ? undefined : value));
}

/**
 * Returns what a 422 says about fields: where each is in the request, and what is wrong with it.
 */
function fieldErrorsIn(body: unknown): string {
	const detail = isObject(body) ? body.detail : undefined;
	if (!Array.isArray(detail)) return '';
	const errors = detail.slice(0, MAX_FIELD_ERRORS).map((entry: unknown) => {
		const reason = textIn(entry, 'msg');
		const path = pathOf(entry);
		return path === '' || reason === '' ? reason : `'${path}': ${reason}`;
	});
	return errors.filter((one) => one !== '').join('; ');
}

function pathOf(entry: unknown): string {
	const loc = isObject(entry) ? entry.loc : undefined;
	if (!Array.isArray(loc)) return '';
	const names = loc.filter((part) => typeof part === 'string' || typeof part === 'number');
	return (names[0] === 'body' ? names.slice(1) : names).join('.');
}

function textIn(value: unknown, name: string): string {
	const text = isObject(value) ? value[name] : undefined;
	return typeof text === 'string' ? text : '';
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
