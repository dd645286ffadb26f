import fc from 'fast-check';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Job } from '../../../local-service/jobs/Job';
import { readSettings } from '../../../local-service/settings';
import { type Service, startService } from '../../../local-service/startService';
import { LoopMeter } from '../LoopMeter';
import { call } from './call';
import { answerAsModel, type ModelTurn, modelTurns } from './hostileAnswers';
import {
	answerLink,
	MARKUP,
	PAGE_MARK,
	PASSWORD_MARK,
	toPage,
	type Trick,
	tricks,
} from './hostilePages';

const API_KEY = 'api-key-0f-the-service';
const MODEL_KEY = 'sk-key-0f-the-model';
const ANSWER = 'answer-0f-the-agent';

const END_LIMIT_MS = 240_000;
const RELEASE_LIMIT_MS = 60_000;
const HEALTH_LIMIT_MS = 5_000;
const MAX_BLOCKED_MS = 1_000;
const POLL_MS = 100;

/** A job on a hostile page, with a hostile model. */
interface HostileCase {
	tricks: Trick[];
	turns: ModelTurn[];
}

const hostileCases: fc.Arbitrary<HostileCase> = fc.record({ tricks, turns: modelTurns });

/** What the jobs of a run have shown. */
export interface JobTotals {
	jobs: number;
	completed: number;
	maxBlockedMs: number;
	/** The longest time until a poll was answered. */
	maxPollMs: number;
	/** How often each error came, up to its first colon. */
	errors: Record<string, number>;
}

/** The service, and around it all that is hostile: pages, a model, and a server to be kept from. */
class Surroundings {
	readonly lines: string[] = [];
	/** What pages have sent to their server: addresses, headers and bodies. */
	sentToPages = '';
	/** What the model was shown, without the headers. */
	shownToModel = '';
	privateRequests = 0;
	private current: HostileCase = { tricks: [], turns: [] };
	private turn = 0;
	private readonly folder = mkdtempSync(path.join(tmpdir(), 'fuzz-'));
	service!: Service;

	private readonly privateServer = createServer((_request, response) => {
		this.privateRequests++;
		response.end();
	}).on('upgrade', (_request, socket) => {
		this.privateRequests++;
		socket.destroy();
	});

	private readonly pages = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('error', () => {});
		this.sentToPages += `${request.url} ${JSON.stringify(request.rawHeaders)}`;
		request.on('end', () => {
			this.sentToPages += body;
			if (request.url?.startsWith('/v1/')) this.answerAsModel(body, request.headers, response);
			else if (!answerLink(request, response, hostOf(this.privateServer))) {
				response.setHeader('Content-Type', 'text/html');
				response.end(toPage(this.current.tricks, hostOf(this.privateServer)));
			}
		});
	});

	async open(): Promise<void> {
		for (const server of [this.privateServer, this.pages]) {
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
		}
		const host = hostOf(this.pages);
		const settings = readSettings({
			MODELS: 'local/hostile',
			MODEL_BASE_URL: `http://${host}/v1`,
			MODEL_API_KEY: MODEL_KEY,
			MODEL_TIMEOUT_MINUTES: '1',
			SERVICE_API_KEY: API_KEY,
			SERVICE_DATA: this.folder,
			AGENT_ALLOWED_HOSTS: host,
			AGENT_MAX_DOWNLOAD_MB: '2',
			CHROMIUM_SANDBOX: process.getuid?.() === 0 ? 'off' : 'on',
		});
		this.service = await startService(
			{ ...settings, port: 0 },
			{ rateLimits: 'off', writeLog: (line) => this.lines.push(line) },
		);
	}

	begin(hostileCase: HostileCase): void {
		this.current = hostileCase;
		this.turn = 0;
		this.lines.length = 0;
		this.sentToPages = '';
		this.shownToModel = '';
	}

	get pageUrl(): string {
		return `http://${hostOf(this.pages)}/hostile`;
	}

	async close(): Promise<void> {
		await this.service?.close();
		for (const server of [this.privateServer, this.pages]) {
			server.closeAllConnections();
			server.close();
		}
		rmSync(this.folder, { recursive: true, force: true });
	}

	private answerAsModel(
		body: string,
		{ authorization = '' }: { authorization?: string },
		response: Parameters<typeof answerAsModel>[2],
	): void {
		if (body === '') return void response.end('{"data":[{"id":"hostile"}]}');
		// Its own key is the one thing that a model's server is given.
		this.sentToPages = this.sentToPages.replaceAll(MODEL_KEY, '');
		this.shownToModel += body;
		const { messages } = JSON.parse(body) as { messages: { content: unknown }[] };
		const turn = this.current.turns[this.turn++] ?? {
			kind: 'call',
			name: 'done',
			input: { output: ANSWER },
		};
		const page = String(messages.at(-1)?.content);
		const privateHost = hostOf(this.privateServer);
		answerAsModel(turn, { page, authorization, privateHost }, response);
	}
}

/**
 * Runs so many jobs with a real Chromium on random hostile pages, with a model that is hostile,
 * too. Throws with the first that breaks a promise.
 */
export async function fuzzJobs(options: {
	cases: number;
	seed: number;
	path?: string;
}): Promise<JobTotals> {
	const totals: JobTotals = { jobs: 0, completed: 0, maxBlockedMs: 0, maxPollMs: 0, errors: {} };
	const unhandled: string[] = [];
	const onUnhandled = (reason: unknown) =>
		void unhandled.push(`unhandled: ${reason instanceof Error ? reason.stack : String(reason)}`);
	process.on('unhandledRejection', onUnhandled);
	process.on('uncaughtException', onUnhandled);
	const surroundings = new Surroundings();
	try {
		await surroundings.open();
		const property = fc.asyncProperty(hostileCases, async (hostileCase) => {
			const found = await runCase(surroundings, hostileCase, totals);
			found.push(...unhandled.splice(0));
			if (found.length > 0) throw new Error(found.join('\n'));
		});
		const { cases, ...more } = options;
		// A case takes seconds, so the first one that fails is shown as it is.
		const result = await fc.check(property, { numRuns: cases, endOnFailure: true, ...more });
		if (result.failed) {
			const { errorInstance, counterexample, counterexamplePath: where } = result;
			throw new Error(
				`${String(errorInstance)}\nRepeat: npm run fuzz:service -- --cases 0 --seed ${options.seed} ` +
					`--job-path ${where}\n${JSON.stringify(counterexample)}`,
			);
		}
		return totals;
	} finally {
		process.off('unhandledRejection', onUnhandled);
		process.off('uncaughtException', onUnhandled);
		await surroundings.close();
	}
}

async function runCase(
	surroundings: Surroundings,
	hostileCase: HostileCase,
	totals: JobTotals,
): Promise<string[]> {
	const { service } = surroundings;
	surroundings.begin(hostileCase);
	const privateBefore = surroundings.privateRequests;
	const meter = new LoopMeter();
	const { job_id: id } = await call(service, '/v1/run_browser_agent', {
		directive: 'Find the price',
		initial_url: surroundings.pageUrl,
		browser_config: { max_duration_minutes: 2 },
	});
	const job = service.jobs.find(String(id))!;

	const end = performance.now() + END_LIMIT_MS;
	let maxPollMs = 0;
	while (!job.hasEnded && performance.now() < end) {
		const asked = performance.now();
		await call(service, `/v1/get_job_status/${id}`);
		maxPollMs = Math.max(maxPollMs, performance.now() - asked);
		await sleep(POLL_MS);
	}
	const isReleased = await Promise.race([
		job.released.then(() => true),
		sleep(RELEASE_LIMIT_MS, false),
	]);
	const blockedMs = meter.stop();

	totals.jobs++;
	totals.completed += job.status === 'completed' ? 1 : 0;
	totals.maxBlockedMs = Math.max(totals.maxBlockedMs, blockedMs);
	totals.maxPollMs = Math.max(totals.maxPollMs, maxPollMs);
	const reason = job.record.error?.replace(/127\.0\.0\.1:\d+/, 'the host').split(': ')[0];
	if (reason !== undefined) totals.errors[reason] = (totals.errors[reason] ?? 0) + 1;
	return [
		...(job.hasEnded ? [] : [`the job is still ${job.status}`]),
		...(isReleased ? [] : ['the browser of the ended job is still there']),
		...(blockedMs > MAX_BLOCKED_MS ? [`blocked for ${Math.round(blockedMs)} ms`] : []),
		...(maxPollMs > HEALTH_LIMIT_MS ? [`a poll took ${Math.round(maxPollMs)} ms`] : []),
		...(surroundings.privateRequests > privateBefore ? ['a private address was reached'] : []),
		...(await leaks(surroundings, job)),
	];
}

/** What stands where it must not. */
async function leaks(surroundings: Surroundings, job: Job): Promise<string[]> {
	const { service, lines, sentToPages, shownToModel } = surroundings;
	const { liveSecret, historySecret } = job.record;
	const log = lines.join('\n');
	const status = JSON.stringify(await call(service, `/v1/get_job_status/${job.id}`));
	const { files } = await call(service, `/v1/get_job_files/${job.id}`);
	const names = (files as { filename: string }[]).map(({ filename }) => filename);
	const history = await (await fetch(`${service.url}/history/${job.id}/${historySecret}`)).text();

	const everywhere = { sentToPages, shownToModel, log };
	const found: string[] = [];
	for (const [where, text] of Object.entries(everywhere)) {
		for (const secret of [API_KEY, MODEL_KEY, liveSecret, historySecret]) {
			if (text.includes(secret)) found.push(`${where} has the secret ${secret}`);
		}
	}
	for (const [where, text] of Object.entries({ shownToModel, log, status, history })) {
		if (text.includes(PASSWORD_MARK)) found.push(`${where} has a password`);
		if (where !== 'shownToModel' && text.includes(MODEL_KEY)) found.push(`${where} has a key`);
	}
	if (log.includes(PAGE_MARK)) found.push('the log has the text of a page');
	if (history.includes(MARKUP)) found.push('the history has markup of a page');
	for (const name of names) {
		if (/[/\\\p{Cc}]/u.test(name)) found.push(`a file is called ${JSON.stringify(name)}`);
	}
	return [...found, ...lines.filter((line) => line.includes('internal error'))];
}

function hostOf(server: Server): string {
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
