import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { findChromium } from '../../../local-service/browser/chromium';
import { JobFailure } from '../../../local-service/JobFailure';
import type { Job } from '../../../local-service/jobs/Job';
import { readSettings } from '../../../local-service/settings';
import { type Service, startService } from '../../../local-service/startService';
import type { Row } from '../Bench';
import { median } from '../figures';
import { type Pages, startPages } from '../localService/startPages';
import { canMeasureProcesses, cpuSeconds, memoryOfChildren } from '../localService/processTree';
import { toTable } from '../results';

const STEPS = 20;
const PLACES = 4;
const POLLS_A_MINUTE = 500;
const LIMIT_MS = 120_000;
const SETTLE_MS = 3_000;
/** Of several spans, the one counts that other work on the machine has disturbed least. */
const IDLE_SPANS = 3;
const IDLE_MS = 10_000;

export const localService: Row = {
	name: 'localService',
	title: 'The local service',

	missing() {
		try {
			findChromium({ chromiumBin: process.env.CHROMIUM_BIN || undefined });
		} catch {
			return 'Chromium';
		}
		return canMeasureProcesses() ? undefined : '/proc';
	},

	async run({ runs, workFolder }) {
		const pages = await startPages();
		const service = await start(pages, workFolder);
		try {
			const times = { firstPage: [] as number[], step: [] as number[], abort: [] as number[] };
			for (let run = 0; run < runs; run++) {
				const { firstPage, step } = await runSteps(service, pages);
				times.firstPage.push(firstPage);
				times.step.push(step);
				times.abort.push(await abortHanging(service, pages));
			}
			const poll = await pollBesideJobs(service, pages);
			const { perFurtherJob, pausedCpu } = await holdJobs(service, pages);
			const checks = [
				{ figureOf: `a step, of ${STEPS}`, value: median(times.step), atMost: 1.5, unit: ' s' },
				{ figureOf: 'until the first page', value: median(times.firstPage), atMost: 6, unit: ' s' },
				{ figureOf: 'to end a job', value: median(times.abort), atMost: 1, unit: ' s' },
				{
					figureOf: `a poll of ${POLLS_A_MINUTE} a minute beside ${PLACES} jobs`,
					value: poll,
					atMost: 200,
					unit: ' ms',
				},
				{ figureOf: 'memory of a further job', value: perFurtherJob, atMost: 200, unit: ' MB' },
				{
					figureOf: `CPU of ${PLACES} paused jobs`,
					value: pausedCpu,
					atMost: 2,
					unit: ' % of a core',
				},
			].map((check) => ({ ...check, isAbsolute: true }));
			const [step, firstPage] = checks;
			return {
				summary: [
					`**The local service** opens its first page after ${firstPage?.value.toFixed(1)} s, and ` +
						`takes ${step?.value.toFixed(2)} s for a step beside the model's time.`,
				],
				checks,
				table: toTable(checks),
				notes: `With a model that answers at once; medians of ${runs} jobs.`,
			};
		} finally {
			await service.close();
			pages.close();
		}
	},
};

async function start(pages: Pages, workFolder: string): Promise<Service> {
	const isRoot = process.getuid?.() === 0;
	const settings = readSettings({
		CHROMIUM_SANDBOX: isRoot ? 'off' : undefined,
		...process.env,
		MODELS: 'local/bench',
		MODEL_BASE_URL: pages.modelUrl,
		MODEL_TIMEOUT_MINUTES: '60',
		AGENT_ALLOWED_HOSTS: pages.host,
		SERVICE_PORT: '0',
		SERVICE_MAX_JOBS: String(PLACES),
		SERVICE_DATA: path.join(workFolder, 'data'),
	});
	return await startService(settings, { rateLimits: 'off', writeLog: () => {} });
}

/** Seconds until the browser asks for its first page, and for each of the steps that follow. */
async function runSteps(service: Service, pages: Pages) {
	pages.steps = STEPS;
	const begun = performance.now();
	const firstPage = new Promise<number>((resolve) => {
		pages.onPage = () => resolve(performance.now());
	});
	const firstQuestion = new Promise<number>((resolve) => {
		pages.onQuestion = () => resolve(performance.now());
	});
	const job = await startJob(service, pages.url);
	const opened = await firstPage;
	const asked = await firstQuestion;
	await until(() => job.hasEnded);
	const ended = performance.now();
	if (job.status !== 'completed') throw new Error(`The job failed: ${job.record.error}`);
	await job.released;
	return { firstPage: (opened - begun) / 1000, step: (ended - asked) / 1000 / (STEPS + 1) };
}

/** Seconds until nothing is left of a job whose page never answers. */
async function abortHanging(service: Service, pages: Pages): Promise<number> {
	const job = await startJob(service, pages.hangingUrl);
	await until(() => job.status === 'running');
	await delay(SETTLE_MS);
	const begun = performance.now();
	job.fail(new JobFailure('The bench has ended the job'));
	await job.released;
	return (performance.now() - begun) / 1000;
}

/**
 * Milliseconds until a poll is answered, while one job hangs and the others work: these end,
 * without waiting for it.
 */
async function pollBesideJobs(service: Service, pages: Pages): Promise<number> {
	pages.steps = STEPS;
	const hanging = await startJob(service, pages.hangingUrl);
	const working: Job[] = [];
	while (working.length < PLACES - 1) working.push(await startJob(service, pages.url));

	const polls: Promise<number>[] = [];
	const end = performance.now() + LIMIT_MS;
	while (working.some((job) => !job.hasEnded) && performance.now() < end) {
		polls.push(poll(service, working[polls.length % working.length]!));
		await delay(60_000 / POLLS_A_MINUTE);
	}
	const times = await Promise.all(polls);
	const failed = working.find(({ status }) => status !== 'completed');
	if (failed) throw new Error(`Beside others, a job is ${failed.status}: ${failed.record.error}`);
	hanging.fail(new JobFailure('The bench has ended the job'));
	await Promise.all([hanging, ...working].map(async (job) => await job.released));
	return median(times);
}

async function poll({ url, apiKey }: Service, { id }: Job): Promise<number> {
	const begun = performance.now();
	const headers = { Authorization: `Bearer ${apiKey}` };
	const response = await fetch(`${url}/v1/get_job_status/${id}`, { headers });
	await response.text();
	return performance.now() - begun;
}

/** What jobs need that do nothing: first running, then paused. */
async function holdJobs(service: Service, pages: Pages) {
	pages.steps = Infinity;
	let questions = 0;
	pages.onQuestion = () => questions++;
	const jobs: Job[] = [];
	const memory: number[] = [];
	while (jobs.length < PLACES) {
		jobs.push(await startJob(service, pages.url));
		await until(() => questions === jobs.length);
		await delay(SETTLE_MS);
		memory.push(memoryOfChildren());
	}
	const [first = NaN] = memory;
	const perFurtherJob = ((memory.at(-1) ?? NaN) - first) / (PLACES - 1);

	for (const job of jobs) job.pause();
	const shares: number[] = [];
	// What a browser does after its start has then passed.
	await delay(IDLE_MS);
	for (let span = 0; span < IDLE_SPANS; span++) {
		const cpuBefore = cpuSeconds();
		await delay(IDLE_MS);
		shares.push((cpuSeconds() - cpuBefore) / (IDLE_MS / 1000));
	}
	const pausedCpu = Math.min(...shares) * 100;

	for (const job of jobs) job.fail(new JobFailure('The bench has ended the job'));
	await Promise.all(jobs.map(async (job) => await job.released));
	return { perFurtherJob, pausedCpu };
}

async function startJob(service: Service, initialUrl: string): Promise<Job> {
	const response = await fetch(`${service.url}/v1/run_browser_agent`, {
		method: 'POST',
		headers: {
			Authorization: `Bearer ${service.apiKey}`,
			'Content-Type': 'application/json',
		},
		body: JSON.stringify({ directive: 'Open page after page', initial_url: initialUrl }),
	});
	const { job_id: id = '' } = (await response.json()) as { job_id?: string };
	const job = service.jobs.find(id);
	if (!job) throw new Error(`The service did not start a job: ${response.status}`);
	return job;
}

async function until(isTrue: () => boolean): Promise<void> {
	const end = performance.now() + LIMIT_MS;
	while (!isTrue()) {
		if (performance.now() > end) throw new Error('It has not happened within two minutes');
		await delay(5);
	}
}
