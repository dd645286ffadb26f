import express, { type ErrorRequestHandler } from 'express';

import { maskApiKey } from '../state/maskApiKey';
import type { SandboxState } from '../state/SandboxState';
import type { LimitSettings, RequestFilter } from '../types';
import { AdminError, parseFault, parseScripts } from './adminValidation';
import { toLoggedJob } from './toLoggedJob';

/** Controls and observes the sandbox. `AdminClient` has a method for each of the routes. */
export function createAdminApi(getState: () => SandboxState, reset: () => void): express.Router {
	const router = express.Router();
	router.use(express.json({ limit: '1gb' }));

	router.post('/reset', (_request, response) => {
		reset();
		response.json({});
	});

	router.post('/scripts', (request, response) => {
		getState().scripts.add(parseScripts(request.body));
		response.json({});
	});

	router.post('/faults', (request, response) => {
		getState().faults.add(parseFault(request.body));
		response.json({});
	});

	router.delete('/faults', (_request, response) => {
		getState().faults.clear();
		response.json({});
	});

	router.get('/jobs', (_request, response) => {
		const now = getState().runDueEvents();
		const jobs = [...getState().jobs.values()];
		response.json(jobs.map((job) => toLoggedJob(job, now)));
	});

	router.get('/jobs/:id', (request, response) => {
		const now = getState().runDueEvents();
		const job = getState().jobs.get(request.params.id);
		if (!job) throw new AdminError(404, `There is no job ${request.params.id}`);
		response.json(toLoggedJob(job, now));
	});

	router.get('/requests', (request, response) => {
		const { endpoint, jobId, since = 0 } = request.query;
		const filter = { endpoint, jobId, since: Number(since) } as RequestFilter;
		response.json(getState().requestLog.read(filter));
	});

	router.get('/counters', (_request, response) => {
		response.json(getState().metrics.counters);
	});

	router.get('/time', (_request, response) => {
		response.json({ now: getState().clock.now() });
	});

	router.post('/time/advance', (request, response) => {
		const { seconds } = request.body as { seconds: number };
		if (!(seconds >= 0)) throw new AdminError(400, 'Time can only be advanced');
		response.json({ now: getState().advance(seconds) });
	});

	router.post('/limits', (request, response) => {
		getState().rateLimiters.configure(request.body as LimitSettings);
		response.json({});
	});

	router.post('/credits', (request, response) => {
		const { key, credits } = request.body as { key: string; credits: number };
		getState().runDueEvents();
		const account = getState().accounts.get(key);
		if (!account)
			throw new AdminError(404, `There is no account with the key ${maskApiKey(String(key))}`);
		if (account.credits === null) throw new AdminError(400, 'The account has unlimited credits');
		account.credits = credits;
		response.json({});
	});

	router.use((request) => {
		throw new AdminError(404, `The admin API has no ${request.method} ${request.path}`);
	});
	router.use(handleError);
	return router;
}

const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
	response.status(error.status ?? 500).json({ detail: String(error.message) });
};
