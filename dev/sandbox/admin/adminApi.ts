import express, { type ErrorRequestHandler } from 'express';
import { z } from 'zod';

import { adminError, type SandboxAdmin } from '../SandboxAdmin';
import { faultSchema, jobScriptSchema, type RequestFilter } from '../types';

/**
 * Controls and observes the sandbox over HTTP. `GET /` lists the calls as text; `admin` has a
 * method for each.
 */
export function createAdminApi(admin: SandboxAdmin): express.Router {
	const router = express.Router();
	router.use(express.json({ limit: '1gb' }));

	const calls: string[] = [];
	/**
	 * Adds a call of a method of `admin`, and a line about it to the list of calls; the response is
	 * what the method resolves to.
	 */
	function addCall(
		method: 'get' | 'post',
		path: string,
		does: string,
		call: (request: express.Request) => Promise<unknown>,
	) {
		const line = `${method.toUpperCase().padEnd(4)} /_sandbox${path}`;
		calls.push(`${line.padEnd(36)} ${does}`);
		router[method](path, async (request, response) => {
			response.json((await call(request)) ?? {});
		});
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

	addCall('get', '/jobs', 'All jobs, oldest first', () => admin.jobs());

	const findJob = async ({ params }: express.Request) => await admin.job(String(params.id));
	addCall('get', '/jobs/:id/live', 'A job, at its `live_url`', findJob);
	addCall('get', '/jobs/:id/history', 'The same, at its `history_url`', findJob);

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

const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
	const isInvalid = error instanceof z.ZodError;
	const detail = isInvalid ? error.issues.map(describeIssue).join('; ') : String(error.message);
	response.status(isInvalid ? 400 : (error.status ?? 500)).json({ detail });
};

function describeIssue({ path, message }: z.ZodIssue): string {
	return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
