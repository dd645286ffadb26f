import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { z } from 'zod';

import { answer } from '../operations/answer';
import { adminError, type SandboxAdmin } from '../SandboxAdmin';
import type { SandboxState } from '../state/SandboxState';
import { faultSchema, jobScriptSchema, type RequestFilter } from '../types';
import { JOB_PAGE_POLICY, jobPage, jobsPage } from './jobPage';
import { toLoggedJob } from './toLoggedJob';

/**
 * Controls and observes the sandbox over HTTP. `GET /` lists the calls as text; `admin` has a
 * method for each but those of a job's page.
 */
export function createAdminApi(admin: SandboxAdmin, getState: () => SandboxState): express.Router {
	const router = express.Router();
	router.use(express.json({ limit: '1gb' }));

	const calls: string[] = [];
	/** Adds a route, and a line about it to the list of calls. */
	function add(method: 'get' | 'post', path: string, does: string, handler: RequestHandler) {
		const call = `${method.toUpperCase().padEnd(4)} /_sandbox${path}`;
		calls.push(`${call.padEnd(36)} ${does}`);
		router[method](path, handler);
	}

	/** Adds a call of a method of `admin`; the response is what it resolves to. */
	function addCall(
		method: 'get' | 'post',
		path: string,
		does: string,
		call: (request: express.Request) => Promise<unknown>,
	) {
		add(method, path, does, async (request, response) => {
			response.json((await call(request)) ?? {});
		});
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

	addCall('post', '/reset', 'Restores the initial state: no jobs, all credits', () =>
		admin.reset(),
	);

	addCall('post', '/scripts', 'Scripts the next starts: a list, one each', ({ body }) =>
		admin.nextJobs(z.array(jobScriptSchema).parse(body)),
	);

	addCall('post', '/faults', 'Injects an error into the next requests', ({ body }) =>
		admin.fault(faultSchema.parse(body)),
	);

	add('get', '/jobs', 'All jobs, oldest first; a page in a browser', async (request, response) => {
		const jobs = await admin.jobs();
		if (request.accepts(['json', 'html']) === 'html') {
			sendPage(response, jobsPage(jobs));
		} else {
			response.json(jobs);
		}
	});

	const showJob: RequestHandler = async (request, response) => {
		const { job, now } = findJob(request);
		const output = await job.output(now, () => answer(job));
		sendPage(response, jobPage(toLoggedJob(job, now), { output, error: job.error(now) }));
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
	addCall('get', '/requests', `All requests, oldest first: ${filters}`, ({ query }) => {
		const { endpoint, jobId, since = 0 } = query;
		return admin.requests({ endpoint, jobId, since: Number(since) } as RequestFilter);
	});

	addCall('get', '/counters', 'How many starts, polls, requests, errors', () => admin.counters());

	addCall('post', '/time/advance', 'Moves the clock: {"seconds": 60}', async ({ body }) => ({
		now: await admin.advance(body.seconds),
	}));

	addCall('post', '/limits', 'Rate limits: {"limits": "off"} or "on"', ({ body }) =>
		admin.setLimits(body.limits),
	);

	const creditsBody = '{"key": "sandbox-pro-key", "credits": 5}';
	addCall('post', '/credits', `Sets the credits of an account: ${creditsBody}`, ({ body }) =>
		admin.setCredits(body.key, body.credits),
	);

	router.use((request) => {
		throw adminError(404, `The admin API has no ${request.method} ${request.path}`);
	});
	router.use(handleError);
	return router;
}

function sendPage(response: express.Response, page: string): void {
	response.setHeader('Content-Security-Policy', JOB_PAGE_POLICY);
	response.send(page);
}

const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
	const isInvalid = error instanceof z.ZodError;
	const detail = isInvalid ? error.issues.map(describeIssue).join('; ') : String(error.message);
	response.status(isInvalid ? 400 : (error.status ?? 500)).json({ detail });
};

function describeIssue({ path, message }: z.ZodIssue): string {
	return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
