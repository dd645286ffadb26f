import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startSandbox, type Sandbox } from '../../sandbox/startSandbox';
import type { Row } from '../Bench';
import { figure, mean, median, quantile } from '../figures';
import { startN8n, type WaitingN8n } from '../startN8n';
import { mixedDurations } from './durations';

// The key of the credential in n8n.
const PRO_KEY = 'sandbox-pro-key';
const WAITS = 200;
const MINUTE = 60;
const POLLS_PER_MINUTE = 60;
const SAMPLE_MS = 2_000;
const MAX_MS = 30 * MINUTE * 1000;
const TICKS_PER_SECOND = 100;

/** What suspended waits cost, and how late they see the ends of their jobs. */
interface SuspendedReport {
	/** Executions running at a time after the first minute, on average and at most. */
	running: { mean: number; most: number };
	/**
	 * How much of the poll limit was used, from the second minute until fewer waits than polls per
	 * minute were left.
	 */
	percentOfLimit: number;
	/** The time from each job's end to the poll that saw it, in s. */
	delays: number[];
	cpuSeconds: number;
	/** The CPU time for an hour of one wait. */
	cpuSecondsPerWaitHour: number;
	/** How much n8n's process has grown per wait, after the first minute. */
	kibPerWait: number;
	peakMib: number;
}

export const suspendedInN8n: Row = {
	name: 'suspendedInN8n',
	title: 'Suspended waits in n8n',
	isSlow: true,

	async run({ workFolder }) {
		const report = await measure(workFolder);
		const { running, percentOfLimit, delays } = report;
		return {
			checks: [
				{ figureOf: 'executions running at a time', value: running.mean, atMost: 3 },
				{
					figureOf: 'median delay',
					value: median(delays),
					atMost: 95,
					unit: ' s',
				},
				{
					figureOf: 'longest delay',
					value: Math.max(...delays),
					atMost: 300,
					unit: ' s',
				},
				{
					figureOf: 'of the poll limit left unused',
					value: 100 - percentOfLimit,
					atMost: 30,
					unit: ' %',
				},
			],
			table: toTable(report),
			notes: `${WAITS} executions of Job: Wait with Suspend While Waiting, started at the same time in a full n8n instance, for jobs of 3 to 10 min. The delay is the time from a job's end to the poll that sees it. Running executions are counted every two seconds after the first minute, in which all of them wait in the process. The use of the poll limit is measured from then on, until no more waits are left than polls per minute. CPU and memory are those of n8n's process from the first wait to the end of the last; most of the memory is allocated while the waits begin. At commit 535ce3f, a round waited up to a minute for its permits; its figures are those of an earlier run, so its CPU time can't be compared.`,
		};
	},
};

function toTable({
	running,
	percentOfLimit,
	delays,
	cpuSeconds,
	cpuSecondsPerWaitHour,
	kibPerWait,
	peakMib,
}: SuspendedReport): string[][] {
	return [
		['figure', 'at commit 535ce3f', 'now'],
		[
			'executions running at a time (mean; most)',
			'52.3; 100',
			`${figure(running.mean)}; ${running.most}`,
		],
		['poll limit used, %', '100', figure(percentOfLimit)],
		[
			'delay, s (median; 90 %; longest)',
			'63.6; 179; 319',
			[median(delays), quantile(delays, 0.9), Math.max(...delays)].map(figure).join('; '),
		],
		["n8n's CPU, s", '104', figure(cpuSeconds)],
		["n8n's CPU per wait and hour, s", 'not measured', figure(cpuSecondsPerWaitHour)],
		["n8n's memory per wait, KiB", 'not measured', figure(kibPerWait)],
		["n8n's peak memory, MiB", '2,967', figure(peakMib)],
	];
}

async function measure(workFolder: string): Promise<SuspendedReport> {
	const folder = path.join(workFolder, 'n8n');
	mkdirSync(folder);
	const sandbox = await startSandbox();
	let waiting: WaitingN8n | undefined;
	try {
		waiting = await startN8n(folder, sandbox);
		const ends = await startJobs(sandbox);
		const { pid } = waiting.n8n;
		const cpuBefore = cpuSeconds(pid);
		const mibBefore = memoryMib(pid, 'VmRSS');
		const began = Date.now();
		await Promise.all([...ends.keys()].map(async (jobId) => await waiting?.wait(jobId)));
		const samples = await sample(waiting, began);
		const cpu = cpuSeconds(pid) - cpuBefore;
		const polls = await sandbox.admin.requests({ endpoint: 'getJob' });
		const lastPolls = new Map(polls.map(({ jobId = '', sandboxMs }) => [jobId, sandboxMs]));
		const delays = [...ends].map(([jobId, end]) => ((lastPolls.get(jobId) ?? NaN) - end) / 1000);
		const waitHours = [...lastPolls.values()].map((end) => (end - began) / 3_600_000);
		const from = began + MINUTE * 1000;
		const seen = [...lastPolls.values()].sort((one, other) => one - other);
		const until = seen[WAITS - POLLS_PER_MINUTE] ?? NaN;
		const counted = polls.filter(({ sandboxMs }) => sandboxMs >= from && sandboxMs < until);
		const minutes = (until - from) / 1000 / MINUTE;
		return {
			running: { mean: mean(samples.running), most: Math.max(...samples.running) },
			percentOfLimit: (100 * counted.length) / minutes / POLLS_PER_MINUTE,
			delays,
			cpuSeconds: cpu,
			cpuSecondsPerWaitHour: cpu / (mean(waitHours) * WAITS),
			kibPerWait: ((median(samples.mib) - mibBefore) * 1024) / WAITS,
			peakMib: memoryMib(pid, 'VmHWM'),
		};
	} finally {
		await waiting?.n8n.stop();
		await sandbox.close();
	}
}

/** Starts the jobs, beyond the rate limit for starts; returns the end of each, in ms since 1970. */
async function startJobs(sandbox: Sandbox): Promise<Map<string, number>> {
	const durations = mixedDurations(WAITS, 3 * MINUTE, 10 * MINUTE);
	await sandbox.admin.setLimits('off');
	await sandbox.admin.nextJobs(durations.map((durationSeconds) => ({ durationSeconds })));
	const ends = new Map<string, number>();
	for (const seconds of durations) {
		const answer = await fetch(`${sandbox.url}/v1/run_browser_agent`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', authorization: `Bearer ${PRO_KEY}` },
			body: JSON.stringify({ directive: 'Work' }),
		});
		const { job_id: jobId } = (await answer.json()) as { job_id: string };
		ends.set(jobId, Date.now() + seconds * 1000);
	}
	await sandbox.admin.setLimits('on');
	return ends;
}

/**
 * The number of running executions and n8n's memory, every two seconds from the second minute on,
 * until all waits have ended.
 */
async function sample({ api, n8n, workflowId }: WaitingN8n, began: number) {
	const samples = { running: [] as number[], mib: [] as number[] };
	await sleep(MINUTE * 1000);
	for (;;) {
		const running = await api.countExecutions(workflowId, ['running', 'new']);
		samples.running.push(running);
		samples.mib.push(memoryMib(n8n.pid, 'VmRSS'));
		const open = running + (await api.countExecutions(workflowId, ['waiting']));
		if (open === 0) return samples;
		if (Date.now() - began > MAX_MS) throw new Error(`${open} executions have not ended`);
		await sleep(SAMPLE_MS);
	}
}

function cpuSeconds(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The memory of a process, or with `VmHWM` its peak so far. */
function memoryMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}
