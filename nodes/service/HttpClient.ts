import type { IDataObject } from 'n8n-workflow';

import { ServiceError, type FieldError, type ServiceErrorKind } from '../errors/ServiceError';
import { toConnectionError } from './connectionError';
import type { Secrets } from './redact';

/** One request, sent once: no retry, no redirect. */
export interface HttpRequest {
	method: 'GET' | 'POST';
	url: string;
	/** JSON text. */
	body?: string;
	timeoutMs: number;
	signal?: AbortSignal;
	/** The answer's body comes as a stream; its time-out ends with the answer's head. */
	asStream?: boolean;
}

export interface HttpAnswer {
	statusCode: number;
	headers: IDataObject;
	/** Parsed when it was JSON, text otherwise; a stream when asked for. */
	body: unknown;
}

/** Sends one request, whatever the status of its answer; rejects when there is none. */
export type Send = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * Sends a request and returns the answer if the service said yes (2xx).
 * Throws a `ServiceError` for everything else: another status, or no answer.
 */
export async function request(
	send: Send,
	options: HttpRequest,
	secrets: Secrets,
	now: () => number,
): Promise<HttpAnswer> {
	const answer = await sendOnce(send, options, secrets);
	if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
	throw failedAnswer(answer, secrets, now);
}

/** The same without a look at the status: throws only when there is no answer. */
export async function sendOnce(
	send: Send,
	options: HttpRequest,
	secrets: Secrets,
): Promise<HttpAnswer> {
	try {
		return await send(options);
	} catch (error) {
		throw asServiceError(error, options, secrets);
	}
}

/** The body of an answer, as an object. Throws `unreadable` for anything else. */
export function objectOf(answer: HttpAnswer, secrets: Secrets): IDataObject {
	const { body } = answer;
	if (isObject(body)) return body;
	throw new ServiceError({
		kind: 'unreadable',
		statusCode: answer.statusCode,
		detail: detailOf(body, secrets),
	});
}

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asServiceError(error: unknown, { signal }: HttpRequest, secrets: Secrets): ServiceError {
	if (signal?.aborted) return new ServiceError({ kind: 'stopped' });
	const { kind, detail } = toConnectionError(error);
	return new ServiceError({ kind, detail: secrets.clean(detail) });
}

/** What an answer with another status than 2xx says. */
export function failedAnswer(
	answer: HttpAnswer,
	secrets: Secrets,
	now: () => number,
): ServiceError {
	const { statusCode, headers, body } = answer;
	return new ServiceError({
		kind: kindOf(statusCode),
		statusCode,
		detail: detailOf(body, secrets),
		fieldErrors: fieldProblemsOf(body, secrets),
		retryAfterMs: retryAfterOf(headers['retry-after'], now),
	});
}

function kindOf(statusCode: number): ServiceErrorKind {
	if (statusCode < 200) return 'unreadable';
	if (statusCode < 400) return 'redirect';
	if (statusCode >= 500) return 'serverError';
	switch (statusCode) {
		case 400:
		case 422:
			return 'invalid';
		case 401:
			return 'unauthorized';
		case 402:
			return 'insufficientCredits';
		case 403:
			return 'forbidden';
		case 404:
			return 'notFound';
		case 408:
			return 'timeout';
		case 429:
			return 'rateLimited';
		default:
			return 'rejected';
	}
}

// Documented as ErrorResponse and HTTPValidationError; gateways in between answer as they like.
function detailOf(body: unknown, secrets: Secrets): string | undefined {
	const text = isObject(body)
		? [body.detail, body.message, body.error].find((value) => typeof value === 'string')
		: typeof body === 'string'
			? withoutMarkup(body)
			: undefined;
	const clean = typeof text === 'string' ? secrets.clean(text) : '';
	return clean === '' ? undefined : clean;
}

function fieldProblemsOf(body: unknown, secrets: Secrets): FieldError[] | undefined {
	if (!isObject(body) || !Array.isArray(body.detail)) return undefined;
	const problems = body.detail
		.map((entry: unknown) => fieldProblemOf(entry, secrets))
		.filter((problem) => problem !== undefined);
	return problems.length > 0 ? problems : undefined;
}

function fieldProblemOf(entry: unknown, secrets: Secrets): FieldError | undefined {
	if (typeof entry === 'string') return { place: '', reason: secrets.clean(entry) };
	if (!isObject(entry) || typeof entry.msg !== 'string') return undefined;
	const path = Array.isArray(entry.loc) ? entry.loc.map(String) : [];
	const place = path[0] === 'body' ? path.slice(1) : path;
	return { place: secrets.clean(place.join('.')), reason: secrets.clean(entry.msg) };
}

// `Retry-After` holds seconds or a date.
function retryAfterOf(header: unknown, now: () => number): number | undefined {
	if (typeof header !== 'string' || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

function withoutMarkup(text: string): string {
	if (!/^\s*</.test(text)) return text;
	const title = /<title[^>]*>([^<]{1,200})/i.exec(text.slice(0, 5000))?.[1]?.trim();
	return title === undefined || title === '' ? 'a web page' : `a web page titled "${title}"`;
}
