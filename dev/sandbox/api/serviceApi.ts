import express, { type ErrorRequestHandler, type Request, type Response } from 'express';

import { type Answer, problem } from '../reply';
import { matchEndpoint } from './matchEndpoint';
import { operations } from '../operations';
import type { Budget } from '../state/RateLimiters';
import type { EndpointName } from '../types';
import { documentValidators, invalidJson, validationFailure } from './openApiValidators';
import { type Visit, deliver, meetFault, openVisit } from './RequestContext';
import type { World } from '../state/SandboxState';

export interface ServiceFaceOptions {
	/** The present world: a reset begins a new one. */
	world(): World;
	url(): string;
	filesUrl(): string;
	validateRequests: boolean;
	validateResponses: boolean;
}

const BODY_LIMIT = '20mb';

const BUDGETS: Partial<Record<EndpointName | 'unknown', Budget>> = {
	startAgent: 'starts',
	runWorkflow: 'starts',
	getJob: 'polls',
	getCreditBalance: 'balances',
};

const WITH_BODY = new Set<string>(['startAgent', 'runWorkflow']);

/** The documented endpoints: who asks, how often, what is to go wrong, and then the answer. */
export function createServiceFace(options: ServiceFaceOptions): express.Express {
	const app = express();
	app.set('etag', false);
	app.set('x-powered-by', false);
	app.set('query parser', 'simple');

	app.use((request, response, next) => {
		const { endpoint, id, allowed } = matchEndpoint(request.method, request.path);
		const jobId = endpoint === 'runWorkflow' || id === '' ? undefined : id;
		const visit = openVisit(options.world(), request, response, { endpoint, id, jobId });
		response.locals.visit = visit;
		if (allowed) response.setHeader('Allow', allowed.join(', '));
		next();
	});

	app.use(express.text({ type: () => true, limit: BODY_LIMIT }));

	app.use(async (request, response, next) => {
		const visit = visitOf(response);
		if (typeof request.body === 'string') visit.entry.rawBody = request.body;
		const refusal = refuse(visit, request, response);
		if (refusal) return await deliver(visit, response, refusal);
		if (await meetFault(visit, response)) next();
	});

	app.use(async (request, response, next) => {
		const visit = visitOf(response);
		const problem = readBody(visit, request);
		if (problem) return await deliver(visit, response, problem);
		next();
	});

	if (options.validateRequests) app.use(documentValidators(options.validateResponses));

	app.use(async (_request, response) => {
		const visit = visitOf(response);
		const answer = carryOut(visit, options);
		if (visit.fault || answer.isUnchecked || !options.validateResponses) {
			return await deliver(visit, response, answer);
		}
		// The validator looks at what passes through `json`.
		visit.entry.answered = answer.status;
		response.status(answer.status).json(answer.json);
	});

	app.use(explain);
	return app;
}

function visitOf(response: Response): Visit {
	return response.locals.visit as Visit;
}

/** Why the request gets no further, if it does not: its path, its key, or too many of its kind. */
function refuse(visit: Visit, request: Request, response: Response): Answer | undefined {
	const { world, endpoint } = visit;
	if (endpoint === 'unknown') return problem(response.hasHeader('Allow') ? 405 : 404);
	if (endpoint === 'getHealth') return undefined;
	const [, key = ''] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
	const account = world.accounts.get(key);
	if (!account) {
		const headers = { 'WWW-Authenticate': 'Bearer' };
		return { ...problem(401, 'The API key is missing or invalid'), headers };
	}
	if (account.isForbidden) return problem(403, 'The API key has no permission for this');
	visit.account = account;
	const budget = BUDGETS[endpoint];
	return budget && limit(world, key, budget);
}

function limit(
	{ clock, counting, limiting }: World,
	key: string,
	budget: Budget,
): Answer | undefined {
	const now = clock.now();
	counting.arrivedFor(key, budget, now, limiting.windowMs);
	const waitMs = limiting.admit(key, budget, now);
	if (waitMs === 0) return undefined;
	counting.counters.rateLimited++;
	return { status: 429, headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } };
}

/** Reads the body twice, since the validator writes defaults into its own. */
function readBody(visit: Visit, request: Request): Answer | undefined {
	const { rawBody } = visit.entry;
	request.body = undefined;
	if (!WITH_BODY.has(visit.endpoint) || !rawBody) return undefined;
	try {
		visit.body = JSON.parse(rawBody);
		request.body = JSON.parse(rawBody);
		return undefined;
	} catch (error) {
		const [, position] = /position (\d+)/.exec(String(error)) ?? [];
		return invalidJson(Number(position ?? 0));
	}
}

function carryOut(visit: Visit, { url, filesUrl }: ServiceFaceOptions): Answer {
	const { world, endpoint, account, id, body, entry } = visit;
	if (endpoint === 'getHealth') return { status: 200, json: { status: 'ok' } };
	if (endpoint === 'unknown' || endpoint === 'file' || !account) return problem(404);
	const now = world.catchUp();
	const call = { world, account, id, body, now, url: url(), filesUrl: filesUrl() };
	const { jobId, ...answer } = operations[endpoint](call);
	entry.jobId ??= jobId;
	return answer;
}

/** What the body reader, the validator or a mistake of our own has thrown. */
const explain: ErrorRequestHandler = async (error, _request, response, _next) => {
	const { status = 500, errors = [], message } = error;
	const isInvalid = status === 400 || status === 415;
	const answer = isInvalid ? validationFailure(errors) : problem(status, String(message));
	await deliver(visitOf(response), response, answer);
};
