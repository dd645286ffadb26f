import type { Execution } from '../../dev/n8n/N8nApi';
import type { ManagedProcess } from '../../dev/n8n/ManagedProcess';
import type { LoggedJob } from '../../dev/sandbox/api/toLoggedJob';
import { callWebhook } from '../e2e/support/callWebhook';
import { waitFor } from '../e2e/support/waitFor';
import { startCluster, type Cluster } from './support/startCluster';
import { oneNode, readTable, recordedStart, startOnly, twoNodes } from './workflows';

const EXECUTIONS = 30;
const STOPPED = 3;
const JOB_SECONDS = 90;
const LONG_JOB_SECONDS = 1_500;
const STARTS_PER_MINUTE = 10;
// Detecting a lost worker takes up to a minute, and the jobs started last run on after that.
const ALL_ENDED_TIMEOUT_MS = 420_000;
const ENDED = ['success', 'error', 'crashed', 'canceled'];

let cluster: Cluster;
let survivor: ManagedProcess;
let victim: ManagedProcess;

beforeAll(async () => {
	cluster = await startCluster(
		[
			oneNode('one-node'),
			twoNodes('two-nodes'),
			// Before the workflow that calls it: n8n refuses to publish the caller otherwise.
			startOnly('start'),
			recordedStart('recorded-start', 'start'),
			readTable('table'),
		],
		{ concurrency: 15 },
	);
	survivor = await cluster.startWorker('the surviving worker');
	await recordedJobs();
}, 600_000);

afterAll(async () => {
	await cluster?.stop();
});

/** The state after the faults: a worker killed, executions stopped, Redis restarted. */
interface Outcome {
	executions: Execution[];
	jobs: LoggedJob[];
	/** IDs of jobs that no execution's data contains, neither the waiting nor the starting one's. */
	notInData: string[];
}

async function runWithFaults(workflowId: string): Promise<Outcome> {
	const { admin } = cluster.sandbox;
	await admin.reset();
	await admin.nextJobs(
		tasks().map((_, n) => ({ durationSeconds: n < STOPPED ? LONG_JOB_SECONDS : JOB_SECONDS })),
	);
	const callAll = async (some: string[]) =>
		await Promise.all(some.map(async (task) => await call(workflowId, task)));
	// Those to be stopped come first, so that they have their jobs.
	await callAll(tasks().slice(0, STOPPED));
	await waitFor(async () => (await polledJobs()).length === STOPPED, 60_000);
	victim = await cluster.startWorker('the worker to be killed');
	await callAll(tasks().slice(STOPPED));
	// Each worker starts as many jobs as an account may in a minute; the others queue. n8n has
	// received the ID of a job that has been polled.
	await waitFor(async () => {
		const polled = await polledJobs();
		return polled.length >= 2 * STARTS_PER_MINUTE && startsIn(victim) >= STARTS_PER_MINUTE / 2;
	}, 180_000);

	await victim.kill();
	await stopSome(workflowId);
	await cluster.restartRedis();
	const replacement = await cluster.startWorker('the replacement worker');

	// Nothing else happens from now on, so that the jobs may end early.
	await waitFor(async () => {
		await admin.advance(JOB_SECONDS / 6);
		const rows = await cluster.api.listExecutions(workflowId);
		return rows.length === EXECUTIONS && rows.every(({ status }) => ENDED.includes(status));
	}, ALL_ENDED_TIMEOUT_MS);

	await replacement.stop();

	const executions = await cluster.api.getExecutions(workflowId);
	const all = [...executions, ...(await cluster.api.getExecutions('start'))];
	const jobs = await admin.jobs();
	const notInData = jobs
		.map(({ job_id }) => job_id)
		.filter((jobId) => !all.some(({ stored }) => stored.includes(jobId)));
	return { executions, jobs, notInData };
}

/**
 * Stops, from the main process, the first executions, whose jobs the surviving worker waits for.
 */
async function stopSome(workflowId: string): Promise<void> {
	const own = executionsOf(survivor);
	const running = (await cluster.api.listExecutions(workflowId)).filter(
		({ id, status }) => status === 'running' && own.includes(id),
	);
	for (const { id } of running.reverse().slice(0, STOPPED)) await cluster.api.stopExecution(id);
}

function executionsOf(worker: ManagedProcess): string[] {
	return [...worker.output.matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id ?? '');
}

function startsIn(worker: ManagedProcess): number {
	return worker.output.match(/Browser Agent started job/g)?.length ?? 0;
}

function tasks(): string[] {
	return Array.from({ length: EXECUTIONS }, (_, n) => `task ${n}`);
}

async function polledJobs(): Promise<LoggedJob[]> {
	return (await cluster.sandbox.admin.jobs()).filter(({ polls }) => polls > 0);
}

async function call(workflowId: string, directive = ''): Promise<unknown> {
	return await callWebhook(cluster.n8n.url, workflowId, { directive });
}

/** The job IDs in the data table, which is created if it does not exist. */
async function recordedJobs(): Promise<unknown[]> {
	const rows = (await call('table')) as Array<{ job_id?: string }>;
	return rows.map((row) => row.job_id);
}

describe.each(['one-node', 'two-nodes', 'recorded-start'])(
	'after a crash of a worker, Stop and a restart of Redis, with %s',
	(workflowId) => {
		let outcome: Outcome;

		beforeAll(async () => {
			outcome = await runWithFaults(workflowId);
		}, 600_000);

		it('no task has two jobs', () => {
			const tasks = outcome.jobs.map(({ directive }) => directive);

			expect(new Set(tasks).size).toBe(tasks.length);
		});

		it('every execution that was not lost or stopped succeeded, and contains a job ID', () => {
			const lost = executionsOf(victim);
			const rest = outcome.executions.filter(({ id }) => !lost.includes(id));
			const succeeded = rest.filter(({ status }) => status === 'success');

			expect(rest.filter(({ status }) => status === 'canceled')).toHaveLength(STOPPED);
			expect(succeeded).toHaveLength(rest.length - STOPPED);
			expect(succeeded.every(({ stored }) => /job_[0-9a-f]+/.test(stored))).toBe(true);
		});

		it('the jobs of the stopped executions are paused, each once, and no others', () => {
			expect(outcome.jobs.filter(({ pauses }) => pauses === 1)).toHaveLength(STOPPED);
			expect(outcome.jobs.filter(({ pauses }) => pauses > 1)).toEqual([]);
		});

		it('every job ID is in an execution, or else in the log of the worker that started it', () => {
			const startedBy = (worker: ManagedProcess) =>
				outcome.notInData.filter((jobId) => worker.output.includes(`started job ${jobId}`));

			expect([...startedBy(victim), ...startedBy(survivor)].sort()).toEqual(
				outcome.notInData.sort(),
			);
			// Of a stopped execution n8n sometimes stores nothing but the status.
			expect(startedBy(survivor).length).toBeLessThanOrEqual(STOPPED);
		});

		if (workflowId === 'recorded-start') {
			it('every job ID is in the data of the sub-workflow that started it', () => {
				expect(outcome.notInData).toEqual([]);
			});

			it('every job ID is in the data table', async () => {
				const recorded = await recordedJobs();

				expect(outcome.jobs.filter(({ job_id }) => !recorded.includes(job_id))).toEqual([]);
			});
		}
	},
);
