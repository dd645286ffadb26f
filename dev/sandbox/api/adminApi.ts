import express, { type ErrorRequestHandler } from 'express';

import { AdminError, readFault, readScripts } from './adminValidation';
import { toLoggedJob } from './toLoggedJob';
import type { LimitSettings, RequestFilter } from '../types';
import type { World } from '../state/SandboxState';

/** Directs and observes the sandbox; `AdminClient` has a method for each of these routes. */
export function createAdminFace(world: () => World, reset: () => void): express.Router {
	const router = express.Router();
	router.use(express.json({ limit: '1gb' }));

	router.post('/reset', (_request, response) => {
		reset();
		response.json({});
	});

	router.post('/scripts', (request, response) => {
		world().scripts.add(readScripts(request.body));
		response.json({});
	});

	router.post('/faults', (request, response) => {
		world().faults.add(readFault(request.body));
		response.json({});
	});

	router.delete('/faults', (_request, response) => {
		world().faults.clear();
		response.json({});
	});

	router.get('/jobs', (_request, response) => {
		const now = world().catchUp();
		const jobs = [...world().jobs.values()];
		response.json(jobs.map((job) => toLoggedJob(job, now)));
	});

	router.get('/jobs/:id', (request, response) => {
		const now = world().catchUp();
		const job = world().jobs.get(request.params.id);
		if (!job) throw new AdminError(404, `There is no job ${request.params.id}`);
		response.json(toLoggedJob(job, now));
	});

	router.get('/requests', (request, response) => {
		const { endpoint, jobId, since = 0 } = request.query;
		response.json(world().log.read({ endpoint, jobId, since: Number(since) } as RequestFilter));
	});

	router.get('/counters', (_request, response) => {
		response.json(world().counting.counters);
	});

	router.get('/time', (_request, response) => {
		response.json({ now: world().clock.now() });
	});

	router.post('/time/advance', (request, response) => {
		const { seconds } = request.body as { seconds: number };
		if (!(seconds >= 0)) throw new AdminError(400, 'Time only goes forward');
		response.json({ now: world().advance(seconds) });
	});

	router.post('/limits', (request, response) => {
		world().limiting.change(request.body as LimitSettings);
		response.json({});
	});

	router.post('/credits', (request, response) => {
		const { key, credits } = request.body as { key: string; credits: number };
		world().catchUp();
		const account = world().accounts.get(key);
		if (!account) throw new AdminError(404, `There is no account with the key ${key}`);
		if (account.credits === null) throw new AdminError(400, 'The account is unlimited');
		account.credits = credits;
		response.json({});
	});

	router.use((request) => {
		throw new AdminError(404, `The admin face has no ${request.method} ${request.path}`);
	});
	router.use(explain);
	return router;
}

const explain: ErrorRequestHandler = (error, _request, response, _next) => {
	response.status(error.status ?? 500).json({ detail: String(error.message) });
};
