import express, { type ErrorRequestHandler, type Request, type Response } from 'express';

import { operations } from '../operations';
import { type Reply, errorReply } from '../reply';
import type { RateLimitName } from '../state/RateLimiters';
import type { SandboxState } from '../state/SandboxState';
import type { EndpointName } from '../types';
import { matchEndpoint } from './matchEndpoint';
import { openApiValidators } from './openApiValidators';
import { type RequestContext, createRequestContext, injectFault, respond } from './RequestContext';
import { invalidJsonReply, validationReply } from './validationReplies';

interface ServiceApiOptions {
	/** The current state, which changes with a reset. */
	getState(): SandboxState;
	/** Without a trailing slash, as is `filesUrl`. */
	url(): string;
	filesUrl(): string;
}

const MAX_BODY_SIZE = '20mb';

const RATE_LIMITS: Partial<Record<EndpointName | 'unknown', RateLimitName>> = {
	startAgent: 'starts',
	runWorkflow: 'starts',
	getJob: 'polls',
	getCreditBalance: 'balances',
};

const ENDPOINTS_WITH_BODY = new Set<string>(['startAgent', 'runWorkflow']);

/**
 * Serves the document's endpoints: checks path, key, rate limit, faults and schema in this order.
 */
export function createServiceApi(options: ServiceApiOptions): express.Express {
	const app = express();
	app.set('etag', false);
	app.set('x-powered-by', false);
	app.set('query parser', 'simple');

	app.use((request, response, next) => {
		const { endpoint, id, allowedMethods } = matchEndpoint(request.method, request.path);
		const jobId = endpoint === 'runWorkflow' || id === '' ? undefined : id;
		const target = { endpoint, id, jobId };
		response.locals.context = createRequestContext(options.getState(), request, response, target);
		if (allowedMethods) response.setHeader('Allow', allowedMethods.join(', '));
		next();
	});

	app.use(express.text({ type: () => true, limit: MAX_BODY_SIZE }));

	app.use(async (request, response, next) => {
		const context = contextOf(response);
		if (typeof request.body === 'string') context.logEntry.rawBody = request.body;
		const denial = denyAccess(context, request, response);
		if (denial) return await respond(context, response, denial);
		if (!(await injectFault(context, response))) return;
		const invalidBody = parseBody(context, request);
		if (invalidBody) return await respond(context, response, invalidBody);
		next();
	});

	app.use(openApiValidators());

	app.use(async (_request, response) => {
		const context = contextOf(response);
		const reply = await runOperation(context, options);
		if (context.fault || reply.skipValidation) {
			return await respond(context, response, reply);
		}
		// The validator checks what is sent with `json()`.
		context.logEntry.answered = reply.status;
		response.status(reply.status).json(reply.json);
	});

	app.use(handleError);
	return app;
}

function contextOf(response: Response): RequestContext {
	return response.locals.context as RequestContext;
}

/**
 * Returns the reply to a request that must not be carried out: path, key or rate limit forbid it.
 */
function denyAccess(context: RequestContext, request: Request, response: Response) {
	const { state, endpoint } = context;
	if (endpoint === 'unknown') return errorReply(response.hasHeader('Allow') ? 405 : 404);
	if (endpoint === 'getHealth') return undefined;

	const [, key = ''] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
	const account = state.accounts.get(key);
	if (!account) {
		const headers = { 'WWW-Authenticate': 'Bearer' };
		return { ...errorReply(401, 'The API key is missing or invalid'), headers };
	}
	if (account.isForbidden) return errorReply(403, 'The API key has no permission for this');
	context.account = account;

	const limit = RATE_LIMITS[endpoint];
	if (limit === undefined) return undefined;
	return applyRateLimit(state, key, limit);
}

function applyRateLimit(
	{ clock, counters, rateLimiters }: SandboxState,
	key: string,
	limit: RateLimitName,
): Reply | undefined {
	const now = clock.now();
	const waitMs = rateLimiters.tryAcquire(key, limit, now);
	if (waitMs === 0) return undefined;
	counters.rateLimited++;
	return { status: 429, headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } };
}

/** Parses the body into the context and the request, or returns the error response. */
function parseBody(context: RequestContext, request: Request): Reply | undefined {
	const { rawBody } = context.logEntry;
	request.body = undefined;
	if (!ENDPOINTS_WITH_BODY.has(context.endpoint) || !rawBody) return undefined;
	try {
		context.body = JSON.parse(rawBody);
		// A separate copy, since the validator adds default values to it.
		request.body = JSON.parse(rawBody);
		return undefined;
	} catch (error) {
		const [, position] = /position (\d+)/.exec(String(error)) ?? [];
		return invalidJsonReply(Number(position ?? 0));
	}
}

async function runOperation(
	context: RequestContext,
	{ url, filesUrl }: ServiceApiOptions,
): Promise<Reply> {
	const { state, endpoint, account, id, body, logEntry } = context;
	if (endpoint === 'getHealth') return { status: 200, json: { status: 'ok' } };
	if (endpoint === 'unknown' || endpoint === 'file' || !account) return errorReply(404);
	const now = state.runDueEvents();
	const input = { state, account, id, body, now, url: url(), filesUrl: filesUrl() };
	const { jobId, ...reply } = await operations[endpoint](input);
	logEntry.jobId ??= jobId;
	return reply;
}

const handleError: ErrorRequestHandler = async (error, _request, response, _next) => {
	const { status = 500, errors = [], message } = error;
	const isInvalid = status === 400 || status === 415;
	const reply = isInvalid ? validationReply(errors) : errorReply(status, String(message));
	await respond(contextOf(response), response, reply);
};
