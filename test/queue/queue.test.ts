import type { Execution } from '../../dev/n8n/N8nApi';
import type { ManagedProcess } from '../../dev/n8n/ManagedProcess';
import type { LoggedJob } from '../../dev/sandbox/admin/toLoggedJob';
import { callWebhook } from '../e2e/support/callWebhook';
import { waitFor } from '../e2e/support/waitFor';
import { startCluster, type Cluster } from './support/startCluster';
import { oneNode, readTable, recordedStart, startOnly, twoNodes } from './workflows';

const WORKFLOWS = ['one-node', 'two-nodes', 'recorded-start'];
const EXECUTIONS = 30;
// One of each workflow.
const STOPPED = WORKFLOWS.length;
const JOB_SECONDS = 90;
const LONG_JOB_SECONDS = 1_500;
const STARTS_PER_MINUTE = 10;
// Detecting a lost worker takes up to a minute, and the jobs started last run on after that.
const ALL_ENDED_TIMEOUT_MS = 420_000;
const ENDED = ['success', 'error', 'crashed', 'canceled'];

let cluster: Cluster;
let survivor: ManagedProcess;
let victim: ManagedProcess;
/** The state after the faults: a worker killed, executions stopped, Redis restarted. */
let executions: Execution[];
let jobs: LoggedJob[];
/** The jobs whose ID is in no execution's data, neither the waiting nor the starting one's. */
let notInData: LoggedJob[];

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
	await runWithFaults();

	executions = await executionsOf(WORKFLOWS);
	jobs = await cluster.sandbox.admin.jobs();
	const all = [...executions, ...(await executionsOf(['start']))];
	notInData = jobs.filter(({ job_id }) => !all.some(({ stored }) => stored.includes(job_id)));
}, 900_000);

afterAll(async () => {
	await cluster?.stop();
});

async function runWithFaults(): Promise<void> {
	const { admin } = cluster.sandbox;
	const numbers = Array.from({ length: EXECUTIONS }, (_, number) => number);
	await admin.nextJobs(
		numbers.map((number) => ({
			durationSeconds: number < STOPPED ? LONG_JOB_SECONDS : JOB_SECONDS,
		})),
	);
	// Those to be stopped come first, so that they have their jobs.
	await Promise.all(numbers.slice(0, STOPPED).map(startTask));
	await waitFor(async () => (await polledJobs()).length === STOPPED, 60_000);
	victim = await cluster.startWorker('the worker to be killed');
	await Promise.all(numbers.slice(STOPPED).map(startTask));
	// Each worker starts as many jobs as an account may in a minute; the others queue. n8n has
	// received the ID of a job that has been polled.
	await waitFor(async () => {
		const polled = await polledJobs();
		return polled.length >= 2 * STARTS_PER_MINUTE && startsIn(victim) >= STARTS_PER_MINUTE / 2;
	}, 180_000);

	await victim.kill();
	for (const workflowId of WORKFLOWS) await stopOldest(workflowId);
	await cluster.restartRedis();
	const replacement = await cluster.startWorker('the replacement worker');

	// Nothing else happens from now on, so that the jobs may end early.
	await waitFor(async () => {
		await admin.advance(JOB_SECONDS / 6);
		const rows = await rowsOf(WORKFLOWS);
		return rows.length === EXECUTIONS && rows.every(({ status }) => ENDED.includes(status));
	}, ALL_ENDED_TIMEOUT_MS);
	await replacement.stop();
}

async function startTask(number: number): Promise<void> {
	const workflowId = WORKFLOWS[number % WORKFLOWS.length] ?? '';
	await call(workflowId, `${workflowId} ${number}`);
}

/** Stops, from the main process, an execution whose job the surviving worker waits for. */
async function stopOldest(workflowId: string): Promise<void> {
	const own = startedBy(survivor);
	const running = (await rowsOf([workflowId])).filter(
		({ id, status }) => status === 'running' && own.includes(id),
	);
	await cluster.api.stopExecution(running.at(-1)?.id ?? '');
}

async function rowsOf(workflowIds: string[]) {
	return (
		await Promise.all(workflowIds.map(async (id) => await cluster.api.listExecutions(id)))
	).flat();
}

async function executionsOf(workflowIds: string[]): Promise<Execution[]> {
	return (
		await Promise.all(workflowIds.map(async (id) => await cluster.api.getExecutions(id)))
	).flat();
}

/** The IDs of the executions that the worker has started. */
function startedBy(worker: ManagedProcess): string[] {
	return [...worker.output.matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id ?? '');
}

function startsIn(worker: ManagedProcess): number {
	return worker.output.match(/Browser Agent started job/g)?.length ?? 0;
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

function isOfRecordedStart({ directive }: LoggedJob): boolean {
	return directive.startsWith('recorded-start');
}

describe('after a crash of a worker, Stop and a restart of Redis', () => {
	it('no task has two jobs', () => {
		const tasks = jobs.map(({ directive }) => directive);

		expect(new Set(tasks).size).toBe(tasks.length);
	});

	it('every execution that was not lost or stopped succeeded, and contains a job ID', () => {
		const lost = startedBy(victim);
		const rest = executions.filter(({ id }) => !lost.includes(id));
		const succeeded = rest.filter(({ status }) => status === 'success');

		expect(rest.filter(({ status }) => status === 'canceled')).toHaveLength(STOPPED);
		expect(succeeded).toHaveLength(rest.length - STOPPED);
		expect(succeeded.every(({ stored }) => /job_[0-9a-f]+/.test(stored))).toBe(true);
	});

	it('the jobs of the stopped executions are paused, each once, and no others', () => {
		expect(jobs.filter(({ pauses }) => pauses === 1)).toHaveLength(STOPPED);
		expect(jobs.filter(({ pauses }) => pauses > 1)).toEqual([]);
	});

	it('every job ID is in an execution, or else in the log of the worker that started it', () => {
		const loggedBy = (worker: ManagedProcess) =>
			notInData.filter(({ job_id }) => worker.output.includes(`started job ${job_id}`));

		expect(loggedBy(victim).length + loggedBy(survivor).length).toBe(notInData.length);
		// Of a stopped execution n8n sometimes stores nothing but the status.
		expect(loggedBy(survivor).length).toBeLessThanOrEqual(STOPPED);
	});

	it('every job ID is in the data of the sub-workflow that started it', () => {
		expect(jobs.some(isOfRecordedStart)).toBe(true);
		expect(notInData.filter(isOfRecordedStart)).toEqual([]);
	});

	it('every job ID that the workflow writes to a data table is in it', async () => {
		const recorded = await recordedJobs();

		const missing = jobs.filter(({ job_id }) => !recorded.includes(job_id));
		expect(missing.filter(isOfRecordedStart)).toEqual([]);
	});
});
