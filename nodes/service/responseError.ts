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
	[408, 'timeout'],
	[422, 'invalid'],
	[429, 'rateLimited'],
]);
const MAX_FIELD_ERRORS = 5;
const MAX_PATH_PARTS = 10;
// A longer one is a mistake, and would keep an account from working for as long as n8n runs.
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** The error of a response whose status is not 2xx. */
export function toStatusError(
	{ statusCode, headers, body }: HttpResponse,
	redactor: Redactor,
): ServiceError {
	const facts = statusFacts({ statusCode, headers });
	// The service says so if it doesn't know a job; a gateway's own 404 means nothing.
	const isForeign = facts.kind === 'notFound' && !(isObject(body) && 'detail' in body);
	return new ServiceError({
		...facts,
		kind: isForeign ? 'foreignNotFound' : facts.kind,
		detail: detailOf(body, redactor),
	});
}

/** What the head of such a response says. */
export function statusFacts({
	statusCode,
	headers,
}: Omit<HttpResponse, 'body'>): ServiceErrorFacts {
	const retryAfterMs = readRetryAfter(headers['retry-after']);
	return { kind: kindOf(statusCode), statusCode, retryAfterMs };
}

/** The text of an HTML page in a few words; any other text as it is. */
export function withoutHtml(text: string): string {
	if (!/^\s*</.test(text.slice(0, 1000))) return text;
	const title = /<title[^>]{0,100}>([^<]{1,200})/i.exec(text.slice(0, 5000))?.[1]?.trim();
	return title === undefined || title === '' ? 'a web page' : `a web page titled "${title}"`;
}

function kindOf(statusCode: number): ServiceErrorKind {
	if (statusCode >= 500) return 'serverError';
	if (statusCode >= 400) return CLIENT_ERRORS.get(statusCode) ?? 'rejected';
	return statusCode >= 300 ? 'redirect' : 'unreadable';
}

// service-interface.md documents ErrorResponse and HTTPValidationError; gateways respond as they like.
function detailOf(body: unknown, redactor: Redactor): string | undefined {
	const text =
		typeof body === 'string'
			? withoutHtml(redactor.redact(body))
			: ['detail', 'message', 'error'].map((name) => textIn(body, name)).find((one) => one !== '');
	const plain = redactor.toPlainText(text ?? fieldErrorsIn(body));
	return plain === '' ? undefined : plain;
}

/** What a 422 says of fields: where each is in the request, and what is wrong with it. */
function fieldErrorsIn(body: unknown): string {
	const { detail } = (body ?? {}) as { detail?: unknown };
	if (!Array.isArray(detail)) return '';
	const errors = detail.slice(0, MAX_FIELD_ERRORS).map((entry: unknown) => {
		const reason = typeof entry === 'string' ? entry : textIn(entry, 'msg');
		const path = pathOf(entry);
		return path === '' || reason === '' ? reason : `'${path}': ${reason}`;
	});
	return errors.filter((one) => one !== '').join('; ');
}

function pathOf(entry: unknown): string {
	const { loc } = (entry ?? {}) as { loc?: unknown };
	if (!Array.isArray(loc)) return '';
	const parts = loc.slice(0, MAX_PATH_PARTS).flatMap((part: unknown) => {
		return typeof part === 'string' || typeof part === 'number' ? [String(part)] : [];
	});
	return (parts[0] === 'body' ? parts.slice(1) : parts).join('.');
}

function textIn(value: unknown, name: string): string {
	if (typeof value !== 'object' || value === null) return '';
	const text = (value as Record<string, unknown>)[name];
	return typeof text === 'string' ? text : '';
}

/** Reads `Retry-After`, which holds seconds or a date, as ms from now; an hour at most. */
function readRetryAfter(header: unknown): number | undefined {
	if (typeof header !== 'string' || header.trim() === '') return undefined;
	const seconds = Number(header);
	const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
