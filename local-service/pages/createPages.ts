import path from 'node:path';

import express, { type ErrorRequestHandler, type Request, type Response } from 'express';

import { isSameSecret } from '../isSameSecret';
import type { Credits } from '../jobs/Credits';
import type { Job } from '../jobs/Job';
import type { Jobs } from '../jobs/Jobs';
import type { JobStore } from '../jobs/JobStore';
import { endingOf, historyPage } from './historyPage';
import { html } from './html';
import { jobsPage } from './jobsPage';
import { LIVE_ACTIONS, livePage, toLiveState } from './livePage';
import { pageShell } from './pageShell';
import { readInput } from './personInput';

/** What the pages show. */
export interface PagesParts {
	apiKey: string;
	jobs: Pick<Jobs, 'find' | 'newestFirst'>;
	store: Pick<JobStore, 'steps' | 'screenshotPath'>;
	credits: Pick<Credits, 'left'>;
}

type Secret = 'liveSecret' | 'historySecret';

const ASSETS = path.join(__dirname, 'assets');
const MAX_BODY_SIZE = '500kb';

const HEADERS = {
	'Content-Security-Policy': [
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self'",
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join('; '),
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
	'Cross-Origin-Opener-Policy': 'same-origin',
	'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Serves the pages for people: `/`, the list of jobs, for which a browser asks for the API key as
 * the password; `/live/<job>/<secret>`, as long as the job has not ended; and
 * `/history/<job>/<secret>`, as long as it is kept. Whoever has the address of one of the last two
 * needs no key. The server checks Host and Origin.
 */
export function createPages({ apiKey, jobs, store, credits }: PagesParts): express.Router {
	const router = express.Router({ strict: true, caseSensitive: true });
	const pictures = new Pictures();

	/** The job in the path, if the secret in it is the job's. */
	function findJob({ params }: Request, name: Secret): Job | undefined {
		const job = jobs.find(String(params.id));
		return job && isSameSecret(String(params.secret), job.record[name]) ? job : undefined;
	}

	/** Makes a handler for a job that has not ended. */
	function live(handle: (job: Job, request: Request, response: Response) => Promise<void> | void) {
		return async (request: Request, response: Response) => {
			const job = findJob(request, 'liveSecret');
			if (!job) sendProblem(response, 404, 'There is no such page.');
			else if (job.hasEnded) sendProblem(response, 410, 'The job has ended.');
			else await handle(job, request, response);
		};
	}

	router.use(['/live', '/history', '/pages'], (_request, response, next) => {
		response.set(HEADERS);
		next();
	});

	router.get('/', (request, response) => {
		response.set(HEADERS);
		if (isSameSecret(passwordIn(request) ?? '', apiKey)) {
			const records = jobs.newestFirst().map(({ record }) => record);
			response.type('html').send(jobsPage(records, credits.left, 'all' in request.query));
		} else {
			response.set(
				'WWW-Authenticate',
				'Basic realm="The API key as the password", charset="UTF-8"',
			);
			sendProblem(response, 401, 'Enter the API key as the password, and any user name.');
		}
	});

	for (const name of ['live.js', 'pages.css']) {
		router.get(`/pages/${name}`, (_request, response, next) => {
			response.sendFile(name, { root: ASSETS, cacheControl: false }, next);
		});
	}

	router.get(
		'/live/:id/:secret',
		live((job, _request, response) => {
			response.type('html').send(livePage(job));
		}),
	);

	router.get(
		'/live/:id/:secret/state',
		live((job, _request, response) => {
			response.json(toLiveState(job));
		}),
	);

	router.get(
		'/live/:id/:secret/picture',
		live(async (job, _request, response) => {
			const picture = await pictures.take(job);
			if (picture) response.type('image/jpeg').send(picture);
			else response.status(204).end();
		}),
	);

	// A web page elsewhere can't send JSON without asking first, and nobody answers it.
	const readBody = express.json({ limit: MAX_BODY_SIZE, type: 'application/json' });

	router.post(
		'/live/:id/:secret/input',
		readBody,
		live(async (job, request, response) => {
			const events = readInput(request.body);
			if (!events) return sendProblem(response, 400, 'The input could not be read.');
			for (const event of events) {
				if (!(await job.input(event))) {
					return sendProblem(response, 409, 'The job is not taken over.');
				}
			}
			response.status(204).end();
		}),
	);

	for (const [name, act] of Object.entries(LIVE_ACTIONS)) {
		router.post(
			`/live/:id/:secret/${name}`,
			readBody,
			live((job, request, response) => {
				if (!request.is('application/json')) return sendProblem(response, 415, 'Send JSON.');
				const isDone = act(job);
				if (job.hasEnded) return sendProblem(response, 410, 'The job has ended.');
				response.status(isDone ? 200 : 409).json(toLiveState(job));
			}),
		);
	}

	router.get('/history/:id/:secret', async (request, response) => {
		const job = findJob(request, 'historySecret');
		if (!job) return sendProblem(response, 404, 'There is no such page.');
		response.type('html').send(historyPage(job.record, await store.steps(job.id)));
	});

	// A live view that is open at the end of its job asks for it.
	router.get('/history/:id/:secret/ending', (request, response) => {
		const job = findJob(request, 'historySecret');
		const ending = job && endingOf(job.record);
		if (ending) response.json(ending);
		else sendProblem(response, 404, 'There is no such page.');
	});

	router.get('/history/:id/:secret/steps/:number', (request, response, next) => {
		const job = findJob(request, 'historySecret');
		if (!job) return sendProblem(response, 404, 'There is no such page.');
		// As a number, it can't lead to another file.
		const file = store.screenshotPath(job.id, Number(request.params.number));
		response.sendFile(file, { cacheControl: false, dotfiles: 'allow' }, next);
	});

	router.use(['/live', '/history', '/pages'], (_request, response) => {
		sendProblem(response, 404, 'There is no such page.');
	});
	router.use(['/live', '/history', '/pages'], handleError);
	return router;
}

/** The password that a browser sends once a person has entered one. */
function passwordIn({ headers }: Request): string | undefined {
	const [, encoded = ''] = /^Basic +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
	const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
	return password;
}

/** One picture at a time for each job, however many people watch it. */
class Pictures {
	private readonly underWay = new WeakMap<Job, Promise<Buffer | undefined>>();

	async take(job: Job): Promise<Buffer | undefined> {
		let picture = this.underWay.get(job);
		if (!picture) {
			picture = job.picture().finally(() => this.underWay.delete(job));
			this.underWay.set(job, picture);
		}
		return await picture;
	}
}

/** Sends a sentence: to a script as JSON, to a person as a page. */
function sendProblem(response: Response, status: number, sentence: string): void {
	response.status(status);
	if (response.req.method === 'GET' && response.req.accepts(['html', 'json']) === 'html') {
		response.type('html').send(pageShell(sentence, html`<p role="status">${sentence}</p>`));
	} else {
		response.json({ problem: sentence });
	}
}

const handleError: ErrorRequestHandler = (error, request, response, next) => {
	if (response.headersSent) return next(error);
	const { status = 500 } = error as { status?: number };
	if (status >= 500 && request.path.endsWith('/input')) {
		// What was entered may stand in the error, and is nobody's business.
		sendProblem(response, 422, 'The page did not take the input.');
	} else {
		sendProblem(response, status, status === 404 ? 'There is no such page.' : 'This did not work.');
	}
};
