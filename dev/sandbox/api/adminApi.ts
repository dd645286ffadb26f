import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { z } from 'zod';

import { answer } from '../operations/answer';
import type { SandboxState } from '../state/SandboxState';
import { faultSchema, jobScriptSchema, type RateLimits, type RequestFilter } from '../types';
import { JOB_PAGE_POLICY, jobPage } from './jobPage';
import { toLoggedJob } from './toLoggedJob';

/**
 * Controls and observes the sandbox. `GET /` lists the calls as text; `AdminClient` has a method
 * for each but those of a job's page.
 */
export function createAdminApi(getState: () => SandboxState, reset: () => void): express.Router {
	const router = express.Router();
	router.use(express.json({ limit: '1gb' }));

	const calls: string[] = [];
	/** Adds a route, and a line about it to the list of calls. */
	function add(method: 'get' | 'post', path: string, does: string, handler: RequestHandler) {
		const call = `${method.toUpperCase().padEnd(4)} /_sandbox${path}`;
		calls.push(`${call.padEnd(36)} ${does}`);
		router[method](path, handler);
	}

	function findJob({ params }: express.Request) {
		const id = String(params.id);
		const now = getState().runDueEvents();
		const job = getState().jobs.get(id);
		if (!job) throw adminError(404, `There is no job ${id}`);
		return { job, now };
	}

	router.get('/', (_request, response) => {
		response.type('text').send(`${calls.join('\n')}\n`);
	});

	add(
		'post',
		'/reset',
		'Restores the initial state: no jobs, all credits',
		(_request, response) => {
			reset();
			response.json({});
		},
	);

	add('post', '/scripts', 'Scripts the next starts: a list, one each', (request, response) => {
		getState().scripts.add(z.array(jobScriptSchema).parse(request.body));
		response.json({});
	});

	add('post', '/faults', 'Injects an error into the next requests', (request, response) => {
		getState().faults.add(faultSchema.parse(request.body));
		response.json({});
	});

	add('get', '/jobs', 'All jobs, oldest first', (_request, response) => {
		const now = getState().runDueEvents();
		const jobs = [...getState().jobs.values()];
		response.json(jobs.map((job) => toLoggedJob(job, now)));
	});

	const showJob: RequestHandler = async (request, response) => {
		const { job, now } = findJob(request);
		const output = await job.output(now, () => answer(job));
		response.setHeader('Content-Security-Policy', JOB_PAGE_POLICY);
		response.send(jobPage(toLoggedJob(job, now), { output, error: job.error(now) }));
	};
	add('get', '/jobs/:id/live', 'The page of a job, its `live_url`', showJob);
	add('get', '/jobs/:id/history', 'The same page, its `history_url`', showJob);

	for (const action of ['pause', 'resume', 'takeOver'] as const) {
		add('post', `/jobs/:id/${action}`, 'A button of that page', (request, response) => {
			const { job, now } = findJob(request);
			// The page may be some seconds old: what is no longer possible changes nothing.
			job[action](now);
			response.redirect(303, 'live');
		});
	}

	const filters = '?endpoint=, ?jobId=, ?since= (an id)';
	add('get', '/requests', `All requests, oldest first: ${filters}`, (request, response) => {
		const { endpoint, jobId, since = 0 } = request.query;
		const filter = { endpoint, jobId, since: Number(since) } as RequestFilter;
		response.json(getState().requestLog.read(filter));
	});

	add('get', '/counters', 'How many starts, polls, requests, errors', (_request, response) => {
		const { counters, jobs, rateLimiters } = getState();
		const totals = { starts: jobs.size, polls: counters.requests.getJob };
		response.json({ ...counters, ...totals, maxInWindow: rateLimiters.peaks });
	});

	add('post', '/time/advance', 'Moves the clock: {"seconds": 60}', (request, response) => {
		const { seconds } = request.body as { seconds: number };
		if (!(seconds >= 0)) throw adminError(400, 'Time can only be advanced');
		response.json({ now: getState().advance(seconds) });
	});

	add('post', '/limits', 'Rate limits: {"limits": "off"} or "on"', (request, response) => {
		const { limits } = request.body as { limits: RateLimits };
		getState().rateLimiters.reset(limits);
		response.json({});
	});

	const creditsBody = '{"key": "sandbox-pro-key", "credits": 5}';
	add('post', '/credits', `Sets the credits of an account: ${creditsBody}`, (request, response) => {
		const { key, credits } = request.body as { key: string; credits: number };
		getState().runDueEvents();
		const account = getState().accounts.get(key);
		if (!account) throw adminError(404, `There is no account with the key ${key}`);
		if (account.credits === null) throw adminError(400, 'The account has unlimited credits');
		account.credits = credits;
		response.json({});
	});

	router.use((request) => {
		throw adminError(404, `The admin API has no ${request.method} ${request.path}`);
	});
	router.use(handleError);
	return router;
}

const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
	const isInvalid = error instanceof z.ZodError;
	const detail = isInvalid ? error.issues.map(describeIssue).join('; ') : String(error.message);
	response.status(isInvalid ? 400 : (error.status ?? 500)).json({ detail });
};

function describeIssue({ path, message }: z.ZodIssue): string {
	return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

function adminError(status: number, message: string): Error {
	return Object.assign(new Error(message), { status });
}
