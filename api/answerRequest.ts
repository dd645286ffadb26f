import { operations } from './operations';
import { type Reply, errorReply } from './reply';
import type { Account } from './Account';
import type { RateLimitName } from './RateLimiters';
import type { LogEntry } from '../dev/sandbox/state/RequestLog';
import type { SandboxState } from '../dev/sandbox/state/SandboxState';
import type { EndpointName, RequestHead } from '../dev/sandbox/types';
import { type Answer, applyFault, runsOperation } from '../dev/sandbox/faults/applyFault';
import { matchEndpoint } from './matchEndpoint';
import { invalidJsonReply } from './validationReplies';

/** A request and what is known about it so far. */
export interface RequestContext {
	state: SandboxState;
	logEntry: LogEntry;
	endpoint: EndpointName | 'unknown';
	/** The job or workflow ID in the path; empty if there is none. */
	id: string;
	/** The documented methods of the path, when the requested one is not among them. */
	allowedMethods?: string[];
	account?: Account;
	body?: unknown;
}

/** The origins of service and files, without a trailing slash. */
interface Origins {
	url: string;
	filesUrl: string;
}

const RATE_LIMITS: Partial<Record<EndpointName, RateLimitName>> = {
	startAgent: 'starts',
	runWorkflow: 'starts',
	getJob: 'polls',
	getCreditBalance: 'balances',
};

const ENDPOINTS_WITH_BODY = new Set<string>(['startAgent', 'runWorkflow']);

/** Finds out what a request is for that has arrived at the service. */
export function receiveRequest(state: SandboxState, head: RequestHead): RequestContext {
	const { method = '', url = '' } = head;
	const { endpoint, id, allowedMethods } = matchEndpoint(method, url.replace(/\?.*$/s, ''));
	const jobId = endpoint === 'runWorkflow' || id === '' ? undefined : id;
	return { ...logRequest(state, head, endpoint, jobId), id, allowedMethods };
}

/** Counts and logs a request that has just arrived. */
export function logRequest(
	state: SandboxState,
	head: RequestHead,
	endpoint: RequestContext['endpoint'],
	jobId: string | undefined,
): RequestContext {
	state.counters.requests[endpoint]++;
	const logEntry = state.requestLog.add(head, endpoint, jobId, state.clock.now());
	return { state, logEntry, endpoint, id: jobId ?? '' };
}

/**
 * Returns the answer to a request whose operation must not run, because of its path, its key, the
 * rate limit, a fault or a body that is not JSON; they are checked in this order. If it may run,
 * the context has what it needs.
 */
export function answerWithoutOperation(context: RequestContext): Answer | undefined {
	const denial = denyAccess(context);
	if (denial) return { kind: 'reply', reply: denial };
	if (!takeFault(context)) return toAnswer(context);
	const invalidBody = parseBody(context);
	return invalidBody && toAnswer(context, invalidBody);
}

/** Takes the next matching fault, if any; returns false if it replaces the operation. */
export function takeFault(context: RequestContext): boolean {
	const { state, endpoint, logEntry } = context;
	if (endpoint === 'unknown') return true;
	const fault = state.faults.take(endpoint, logEntry.jobId);
	if (fault === undefined) return true;
	logEntry.fault = fault;
	state.counters.faults++;
	return runsOperation(fault, endpoint);
}

/** Carries out the requested operation. */
export function runOperation(context: RequestContext, origins: Origins): Reply {
	const { state, endpoint, account, id, body, logEntry } = context;
	if (endpoint === 'getHealth') return { status: 200, json: { status: 'ok' } };
	if (endpoint === 'unknown' || endpoint === 'file' || !account) return errorReply(404);
	const now = state.runDueEvents();
	const input = { state, account, id, body, now, ...origins };
	const { jobId, ...reply } = operations[endpoint](input);
	logEntry.jobId ??= jobId;
	return reply;
}

/** Returns what is sent: the reply, changed by the request's fault if it has one. */
export function toAnswer({ logEntry }: RequestContext, reply?: Reply): Answer {
	if (logEntry.fault) return applyFault(logEntry.fault, reply);
	return reply === undefined ? { kind: 'silence' } : { kind: 'reply', reply };
}

function denyAccess(context: RequestContext): Reply | undefined {
	const { state, endpoint, allowedMethods, logEntry } = context;
	if (allowedMethods) return { ...errorReply(405), headers: { Allow: allowedMethods.join(', ') } };
	if (endpoint === 'unknown') return errorReply(404);
	if (endpoint === 'getHealth') return undefined;

	const [, key = ''] = /^Bearer +(.+)$/i.exec(logEntry.headers.authorization ?? '') ?? [];
	const account = state.accounts.get(key);
	if (!account) {
		const headers = { 'WWW-Authenticate': 'Bearer' };
		return { ...errorReply(401, 'The API key is missing or invalid'), headers };
	}
	if (account.isForbidden) return errorReply(403, 'This API key may not be used here');
	context.account = account;

	const limit = RATE_LIMITS[endpoint];
	return limit && applyRateLimit(state, key, limit);
}

function applyRateLimit(
	{ clock, counters, rateLimiters }: SandboxState,
	key: string,
	limit: RateLimitName,
): Reply | undefined {
	const waitMs = rateLimiters.tryAcquire(key, limit, clock.now());
	if (waitMs === 0) return undefined;
	counters.rateLimited++;
	return { status: 429, headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } };
}

/** Parses the body into the context, or returns the error response. */
function parseBody(context: RequestContext): Reply | undefined {
	const { rawBody } = context.logEntry;
	if (!ENDPOINTS_WITH_BODY.has(context.endpoint) || !rawBody) return undefined;
	try {
		context.body = JSON.parse(rawBody);
		return undefined;
	} catch (error) {
		const [, position] = /position (\d+)/.exec(String(error)) ?? [];
		return invalidJsonReply(Number(position ?? 0));
	}
}
