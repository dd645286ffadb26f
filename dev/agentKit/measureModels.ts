import { setTimeout as pause } from 'node:timers/promises';

import type { JobRecord } from '../../local-service/jobs/JobRecord';
import type { Settings } from '../../local-service/settings';
import { type Service, startService } from '../../local-service/startService';
import { findJson } from '../../nodes/structuredOutput/findJson';
import { Shop } from '../localService/Shop';
import { setUp, type Task } from './tasks';

const MAX_DURATION_MINUTES = 10;
/** Of a job, after its maximum duration. */
const GRACE_MS = 2 * 60_000;
const POLL_MS = 100;
const MAX_PROBLEM_CHARACTERS = 200;

/** One try of one task by one model. */
export interface Try {
	/** As in `MODELS`. */
	model: string;
	task: string;
	/** Why it is not solved. */
	problem?: string;
	steps: number;
	inputTokens: number;
	outputTokens: number;
	seconds: number;
}

interface MeasureOptions {
	tasks: Task[];
	/** How often each model tries each task. */
	times: number;
	/** Called after each try. */
	onTry(done: Try): void;
	/** No further try begins after it. */
	signal: AbortSignal;
}

/**
 * Lets each model of the settings do each task in a local service of its own, one after the other.
 * The browser reaches the shop only. Throws a SettingError if the service can't be started.
 */
export async function measureModels(
	settings: Settings,
	{ tasks, times, onTry, signal }: MeasureOptions,
): Promise<Try[]> {
	const shop = new Shop();
	await shop.listen();
	const tries: Try[] = [];
	let service: Service | undefined;
	try {
		service = await startService(
			{
				...settings,
				host: '127.0.0.1',
				port: 0,
				url: undefined,
				credits: undefined,
				allowedHosts: [shop.host],
				onlyHosts: ['127.0.0.1'],
				secrets: [],
			},
			{ writeLog: () => {}, rateLimits: 'off' },
		);
		for (const { label } of settings.models) {
			for (const task of tasks) {
				for (let count = 0; count < times && !signal.aborted; count++) {
					setUp(shop, task);
					const record = await runJob(service, `${shop.url}${task.path}`, task, label, signal);
					if (signal.aborted) break;
					const done = toTry(record, task, shop.requests);
					tries.push(done);
					onTry(done);
				}
			}
		}
	} finally {
		await service?.close();
		await shop.close();
	}
	return tries;
}

/** Starts a job as a client does, and waits for its end. */
async function runJob(
	{ url, apiKey, jobs }: Service,
	initial_url: string,
	{ directive }: Task,
	action_selection_model: string,
	signal: AbortSignal,
): Promise<JobRecord> {
	const response = await fetch(`${url}/v1/run_browser_agent`, {
		method: 'POST',
		headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
		body: JSON.stringify({
			directive,
			initial_url,
			action_selection_model,
			browser_config: { max_duration_minutes: MAX_DURATION_MINUTES },
		}),
	});
	const text = await response.text();
	const { job_id: id } = JSON.parse(text) as { job_id?: string };
	const job = jobs.find(id ?? '');
	if (!job) throw new Error(`The local service has not started a job: ${text}`);
	const deadline = Date.now() + MAX_DURATION_MINUTES * 60_000 + GRACE_MS;
	while (!job.hasEnded && !signal.aborted) {
		if (Date.now() > deadline) throw new Error(`Job ${job.id} does not end`);
		await pause(POLL_MS);
	}
	return job.record;
}

function toTry(record: JobRecord, task: Task, requests: string[]): Try {
	const { status, output, error = '', files, createdAt, endedAt = createdAt } = record;
	const problem = task.problem({
		status,
		answer: toAnswer(output),
		error,
		files: files.map(({ filename }) => filename),
		requests: [...requests],
	});
	return {
		model: record.model,
		task: task.name,
		problem: problem?.replaceAll(/\s+/g, ' ').slice(0, MAX_PROBLEM_CHARACTERS),
		steps: record.creditsUsed,
		inputTokens: record.inputTokens,
		outputTokens: record.outputTokens,
		seconds: (endedAt - createdAt) / 1000,
	};
}

/** The answer's data, as the node finds it. */
function toAnswer(output: unknown): unknown {
	return typeof output === 'string' ? findJson(output)[0] : output;
}
