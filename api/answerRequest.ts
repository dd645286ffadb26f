import type { Account } from './Account';
import { type Backend, Refusal, type RequestHead, type RequestHook } from './backend';
import { type EndpointName, matchEndpoint, takesBody } from './endpoints';
import { operations } from './operations';
import type { RateLimitName } from './RateLimiters';
import { type Reply, errorReply } from './reply';
import { invalidJsonReply } from './validationReplies';

/** The document's bodies have three levels. */
const MAX_DEPTH = 100;

/** A request and what is known about it so far. */
export interface RequestContext {
	backend: Backend;
	hook?: RequestHook;
	head: RequestHead;
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID in the path; empty if there is none. */
	id: string;
	/** The documented methods of the path, when the requested one is not among them. */
	allowedMethods?: string[];
	account?: Account;
	body?: unknown;
}

/** Whether the operation runs, or what is sent instead. */
export type Admission =
	| { kind: 'admitted' }
	| { kind: 'refused'; reply: Reply }
	/** The hook keeps the operation from running, and knows what to send. */
	| { kind: 'intercepted' };

/** The origins of service and files, without a trailing slash. */
export interface Origins {
	url: string;
	filesUrl: string;
}

/** Finds out what a request is for that has arrived at the service. */
export function receiveRequest(backend: Backend, head: RequestHead): RequestContext {
	const { method = '', url = '' } = head;
	const { endpoint, id, allowedMethods } = matchEndpoint(method, url.replace(/\?.*$/s, ''));
	const jobId = endpoint === 'runWorkflow' || id === '' ? undefined : id;
	const hook = backend.followRequest?.({ head, endpoint, jobId });
	return { backend, hook, head, endpoint, id, allowedMethods };
}

/**
 * Decides whether the operation may run. Checks, in this order, the path, the key, the rate limit,
 * the hook, and whether the body is JSON. If it may run, the context has what it needs.
 */
export function admitRequest(context: RequestContext, rawBody: string | undefined): Admission {
	if (rawBody !== undefined) context.hook?.receiveBody(rawBody);
	const denial = denyAccess(context);
	if (denial) return { kind: 'refused', reply: denial };
	if (context.hook?.letsOperationRun() === false) return { kind: 'intercepted' };
	const invalidBody = parseBody(context, rawBody);
	return invalidBody ? { kind: 'refused', reply: invalidBody } : { kind: 'admitted' };
}

/** Carries out the requested operation. */
export function runOperation(context: RequestContext, origins: Origins): Reply {
	const { backend, endpoint, account, id, body } = context;
	if (endpoint === 'getHealth') return { status: 200, json: { status: 'ok' } };
	if (endpoint === 'unknown' || endpoint === 'file' || !account) return errorReply(404);
	const input = { backend, account, id, body, now: backend.now(), ...origins };
	try {
		return operations[endpoint].run(input);
	} catch (error) {
		if (error instanceof Refusal) return refusalReply(error);
		throw error;
	}
}

function denyAccess(context: RequestContext): Reply | undefined {
	const { backend, endpoint, allowedMethods, head } = context;
	if (allowedMethods) return { ...errorReply(405), headers: { Allow: allowedMethods.join(', ') } };
	if (endpoint === 'unknown') return errorReply(404);
	if (endpoint === 'getHealth' || endpoint === 'file') return undefined;

	const [, key = ''] = /^Bearer +(.+)$/i.exec(head.headers.authorization ?? '') ?? [];
	const account = backend.findAccount(key);
	if (!account) {
		const headers = { 'WWW-Authenticate': 'Bearer' };
		return { ...errorReply(401, 'The API key is missing or invalid'), headers };
	}
	if (account.isForbidden) return errorReply(403, 'This API key may not be used here');
	context.account = account;

	const { limit } = operations[endpoint];
	return limit && applyRateLimit(backend, key, limit);
}

function applyRateLimit(backend: Backend, key: string, limit: RateLimitName): Reply | undefined {
	const waitMs = backend.rateLimiters.tryAcquire(key, limit, backend.now());
	return waitMs === 0 ? undefined : { status: 429, headers: retryAfter(waitMs / 1000) };
}

function refusalReply({ status, message, retryAfterSeconds }: Refusal): Reply {
	const reply = errorReply(status, message);
	if (retryAfterSeconds === undefined) return reply;
	return { ...reply, headers: retryAfter(retryAfterSeconds) };
}

function retryAfter(seconds: number) {
	return { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) };
}

/** Parses the body into the context, or returns the error response. */
function parseBody(context: RequestContext, rawBody: string | undefined): Reply | undefined {
	if (!takesBody(context.endpoint) || !rawBody) return undefined;
	try {
		context.body = JSON.parse(rawBody);
	} catch (error) {
		const [, position] = /position (\d+)/.exec(String(error)) ?? [];
		return invalidJsonReply(Number(position ?? 0));
	}
	return isTooDeep(context.body) ? errorReply(400, 'The body is nested too deeply') : undefined;
}

/** Copying and checking a body is recursive. */
function isTooDeep(body: unknown): boolean {
	let level = [body];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_DEPTH) return true;
		level = level.flatMap((value) =>
			typeof value === 'object' && value !== null ? Object.values(value) : [],
		);
	}
	return false;
}
