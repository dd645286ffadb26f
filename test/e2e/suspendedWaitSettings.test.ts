import { sandboxCredential, type WorkflowFile } from '../../dev/n8n/examples';
import type { Execution } from '../../dev/n8n/N8nApi';
import type { LoggedJob } from '../../dev/sandbox/api/toLoggedJob';
import type { JobScript } from '../../dev/sandbox/types';
import { callWebhook } from './support/callWebhook';
import { startJob } from './support/startJob';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';
import { countStatuses, MANUAL, suspendedWait } from './support/suspendedWaits';
import { waitFor } from './support/waitFor';
import { aWorkflow, webhook, type WorkflowNode } from './support/workflowFile';

// Without a timeout of its own, a workflow gets n8n's. No workflow may be called by others unless
// it says so.
const ENV = { EXECUTIONS_TIMEOUT: '65', N8N_WORKFLOW_CALLER_POLICY_DEFAULT_OPTION: 'none' };
const NO_TIMEOUT = { executionTimeout: -1 };

/** Ends after the minute in which the node waits itself. */
const LONG_JOB: JobScript = { durationSeconds: 100 };
const ENDLESS: JobScript = { statuses: ['running'] };
const MINUTE_MS = 60_000;
/** Some rounds of a suspended wait, which take about a minute each. */
const SOME_ROUNDS_MS = 5 * MINUTE_MS;
/** Within which a process notices that the execution that holds its waits was stopped. */
const NOTICED_MS = 2 * MINUTE_MS;
const ELEVEN = 11;

interface Scenario {
	jobs: JobScript[];
	parameters?: Record<string, unknown>;
	options?: Record<string, unknown>;
	/** One input item for each. */
	rows?: Array<Record<string, unknown>>;
	/** Settings of the workflow. */
	settings?: Record<string, unknown>;
	/** Settings of the node. */
	node?: Partial<WorkflowNode>;
}

const CONTINUE: Partial<WorkflowNode> = { onError: 'continueRegularOutput' };
const MINUTES = { maxWaitMinutes: '={{ $json.minutes }}' };

const TOKEN = 'tok-3f9a2b7c8d1e';
const ADDRESS = `wss://grid.example/?token=${TOKEN}`;

/** The text as an expression: n8n stores the parameters of a node as they are. */
function reversed(text: string): string {
	return `={{ '${[...text].reverse().join('')}'.split('').reverse().join('') }}`;
}

// Each runs an agent. They run side by side, since they mostly wait.
const SCENARIOS: Record<string, Scenario> = {
	// Among the first ten starts: later ones wait for a minute, and are suspended before their first
	// status check.
	'credential-deleted': {
		jobs: [{ statuses: ['completed'] }, ENDLESS],
		options: { maxWaitMinutes: 3 },
		rows: [{}, {}],
		node: { ...CONTINUE, credentials: { browserAgentApi: { id: 'lost', name: 'Lost' } } },
	},
	'waits-briefly': { jobs: [ENDLESS], options: { maxWaitMinutes: 1.1 } },
	'one-timed-out': {
		jobs: [ENDLESS, ENDLESS],
		options: MINUTES,
		rows: [{ minutes: 0.5 }, { minutes: 30 }],
		node: CONTINUE,
	},
	'n8n-times-out': { jobs: [LONG_JOB], settings: {} },
	'workflow-times-out': {
		jobs: [ENDLESS],
		options: { pauseJob: 'onEarlyEnd' },
		settings: { executionTimeout: 180 },
	},
	'some-in-process': {
		jobs: [LONG_JOB, LONG_JOB],
		options: { suspendWhileWaiting: '={{ $json.suspends }}' },
		rows: [{ suspends: true }, { suspends: false }],
	},
	'inner-stopped': { jobs: [ENDLESS] },
	'all-stopped': { jobs: [ENDLESS] },
	'inner-deleted': { jobs: [ENDLESS] },
	'files-fail': {
		jobs: [{ ...LONG_JOB, files: [{ filename: 'a.txt', content: 'one' }] }],
		options: { downloadFiles: true },
		node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 },
	},
	'own-browser-fails': {
		jobs: [{ ...LONG_JOB, outcome: 'failed', error: `Lost ${ADDRESS}`, omitFields: ['cdp_url'] }],
		parameters: { browserConfig: { cdpUrl: reversed(ADDRESS) } },
	},
};

const NOT_SUSPENDED = ['waits-briefly', 'some-in-process'];

let environment: TestEnvironment;
const executionIds: Record<string, string> = {};

beforeAll(async () => {
	environment = await startTestEnvironment({
		sandbox: { limits: 'off' },
		env: ENV,
		publish: ['eleven', 'twice'],
		credentials: ({ sandboxUrl }) => [
			{ ...sandboxCredential(sandboxUrl), id: 'lost', name: 'Lost' },
		],
		workflows: () => [
			waitForEach('eleven'),
			waitForEach('twice', MINUTES),
			...Object.entries(SCENARIOS).map(([id, scenario]) => toWorkflow(id, scenario)),
		],
	});
	const { api, n8n, sandbox } = environment;
	// More than the node's own attempts to download a file.
	await sandbox.admin.fault({ endpoint: 'file', kind: 'status', status: 503, times: 5 });
	const jobIds: string[] = [];
	for (let number = 0; number < ELEVEN; number++) {
		await sandbox.admin.nextJob({ ...ENDLESS, match: 'eleven' });
		jobIds.push(await startJob(sandbox.url, 'eleven'));
	}
	await callWebhook(n8n.url, 'eleven', { rows: jobIds.map((job_id) => ({ job_id })) });
	await sandbox.admin.nextJob({ ...LONG_JOB, match: 'twice', output: 'a long story' });
	const twice = await startJob(sandbox.url, 'twice');
	const rows = [
		{ job_id: twice, minutes: 2.2 },
		{ job_id: twice, minutes: 30 },
	];
	await callWebhook(n8n.url, 'twice', { rows });
	for (const [id, { jobs }] of Object.entries(SCENARIOS)) {
		await sandbox.admin.nextJobs(jobs.map((job) => ({ ...job, match: id })));
		executionIds[id] = await api.startWorkflow(id, MANUAL.name);
	}
	const ids = ['eleven', 'twice', ...Object.keys(SCENARIOS)];
	const suspended = ids.filter((id) => !NOT_SUSPENDED.includes(id));
	await waitFor(async () => {
		const counts = await Promise.all(
			suspended.map(async (id) => await countStatuses(api, id, 'sub-workflows')),
		);
		return counts.every(({ waiting = 0 }) => waiting > 0);
	}, 2 * MINUTE_MS);

	await api.stopExecution(await innerOf('inner-stopped'));
	await api.stopAll('all-stopped');
	await api.deleteExecution(await innerOf('inner-deleted'));
	await api.deleteCredential('lost');
	await api.stopExecution(executionIds['one-timed-out'] ?? '');
}, 600_000);

afterAll(async () => {
	await environment?.stop();
});

function toWorkflow(
	id: string,
	{ parameters, options, rows = [{}], settings = NO_TIMEOUT, node }: Scenario,
): WorkflowFile {
	const json = JSON.stringify({ rows });
	const set = { type: 'n8n-nodes-base.set', typeVersion: 3.4, name: 'Rows' };
	const run = { resource: 'agent', operation: 'run', directive: id, ...parameters };
	const workflow = aWorkflow(
		id,
		MANUAL,
		{ ...set, parameters: { mode: 'raw', jsonOutput: json, options: {} } },
		splitOut('rows'),
		{ ...suspendedWait('Run Agent', run, options), ...node },
	);
	return { ...workflow, settings: { ...workflow.settings, ...settings } };
}

/** A workflow that waits for a job for each of the rows that its webhook receives. */
function waitForEach(id: string, options?: Record<string, unknown>): WorkflowFile {
	const wait = { resource: 'job', operation: 'wait', jobId: '={{ $json.job_id }}' };
	const workflow = aWorkflow(
		id,
		webhook(id, { responseMode: 'onReceived' }),
		splitOut('body.rows'),
		suspendedWait('Wait for Job', wait, options),
	);
	return { ...workflow, settings: { ...workflow.settings, ...NO_TIMEOUT } };
}

function splitOut(field: string): WorkflowNode {
	const parameters = { fieldToSplitOut: field, options: {} };
	return { type: 'n8n-nodes-base.splitOut', name: 'Split Out', parameters };
}

async function innerOf(id: string): Promise<string> {
	const rows = await environment.api.listExecutions(id);
	return rows.find(({ mode }) => mode === 'integrated')?.id ?? '';
}

async function endOf(id: string): Promise<Execution> {
	return await environment.api.waitForExecution(executionIds[id] ?? '', SOME_ROUNDS_MS);
}

function itemsOf({ runs }: Execution, node = 'Run Agent') {
	return runs[node]?.at(-1)?.data?.main?.[0]?.map(({ json }) => json) ?? [];
}

async function jobsOf(id: string): Promise<LoggedJob[]> {
	return (await environment.sandbox.admin.jobs()).filter(({ directive }) => directive === id);
}

async function statusesOf(id: string): Promise<string[]> {
	return (await jobsOf(id)).map(({ status }) => status);
}

it('Job: Wait with more jobs than Max Parallel Jobs is suspended after a minute', async () => {
	await expect(countStatuses(environment.api, 'eleven')).resolves.toEqual({ waiting: 1 });
});

it("EXECUTIONS_TIMEOUT does not end the inner execution, which keeps the result that the suspended execution can't take", async () => {
	const { api } = environment;
	const { status } = await endOf('n8n-times-out');

	const inner = await api.getExecution(await innerOf('n8n-times-out'));
	const [job] = await jobsOf('n8n-times-out');
	expect(status).toBe('canceled');
	expect(inner.status).toBe('success');
	expect(itemsOf(inner, 'Check Job Status')).toMatchObject([
		{ job_id: job?.job_id, status: 'completed' },
	]);
}, 600_000);

it("the timeout in the workflow's settings ends the wait before n8n cancels the execution", async () => {
	const { error, status } = await endOf('workflow-times-out');

	const [job] = await jobsOf('workflow-times-out');
	expect(status).toBe('error');
	expect(error?.message).toMatch(/^Job job_\w+ was still running after 2\.(?:4\d|5) minutes$/);
	expect(error?.description).toContain("Raise 'Timeout After' in the workflow's settings");
	expect(job?.status).toBe('paused');
}, 600_000);

it.each(['inner-stopped', 'all-stopped', 'inner-deleted'])(
	'an inner execution that is stopped or deleted counts as a Stop: %s',
	async (id) => {
		await waitFor(async () => (await statusesOf(id))[0] === 'paused', NOTICED_MS);

		const [job] = await jobsOf(id);
		expect(environment.n8n.log).toMatch(
			new RegExp(`is pausing job ${job?.job_id}, because execution \\d+ was stopped`),
		);
		expect(environment.n8n.log).toMatch(
			new RegExp(
				`started job ${job?.job_id} \\(execution \\d+, workflow ${id} '${id}', node 'Run Agent'\\)`,
			),
		);
	},
	600_000,
);

it('Retry On Fail repeats a failed download in the inner execution', async () => {
	const execution = await endOf('files-fail');

	expect(execution.status).toBe('success');
	expect(itemsOf(execution)).toMatchObject([{ files: [{ filename: 'a.txt' }] }]);
	expect((await environment.sandbox.admin.counters()).faults).toBe(5);
}, 600_000);

it('when the credential is deleted, every item keeps its result or its job ID', async () => {
	const execution = await endOf('credential-deleted');

	const [done, endless] = await jobsOf('credential-deleted');
	expect(itemsOf(execution)).toMatchObject([
		{ job_id: done?.job_id, status: 'completed' },
		{
			error: expect.stringContaining('Credential with ID "lost" does not exist'),
			details: { job_id: endless?.job_id, status: 'running' },
		},
	]);
}, 600_000);

it('a wait that is too short to be suspended ends in time', async () => {
	const execution = await endOf('waits-briefly');

	const lastedMs = Date.parse(execution.stoppedAt ?? '') - Date.parse(execution.startedAt);
	expect(execution.error?.message).toContain('was still running after 1.1 minutes');
	expect(lastedMs).toBeLessThan(72_000);
	await expect(countStatuses(environment.api, 'waits-briefly', 'sub-workflows')).resolves.toEqual(
		{},
	);
}, 600_000);

it('a wait is not suspended when another item waits in the process', async () => {
	const execution = await endOf('some-in-process');

	expect(itemsOf(execution)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
	await expect(countStatuses(environment.api, 'some-in-process', 'sub-workflows')).resolves.toEqual(
		{},
	);
}, 600_000);

it('two items that wait for one job both get its output even if their waits end apart', async () => {
	const { api } = environment;
	const rows = await api.listExecutions('twice');
	const outer = rows.find(({ mode }) => mode !== 'integrated')?.id ?? '';

	const execution = await api.waitForExecution(outer, SOME_ROUNDS_MS);

	expect(itemsOf(execution, 'Wait for Job')).toMatchObject([
		{ output: 'a long story' },
		{ output: 'a long story' },
	]);
}, 600_000);

it('Stop also pauses the job of an item that was already done', async () => {
	await waitFor(
		async () => (await statusesOf('one-timed-out')).every((status) => status === 'paused'),
		SOME_ROUNDS_MS,
	);

	await expect(countStatuses(environment.api, 'one-timed-out', 'sub-workflows')).resolves.toEqual({
		canceled: 1,
	});
}, 600_000);

it("a browser's address is neither shown, stored nor logged by a suspended wait", async () => {
	const { api, n8n } = environment;
	const { error, stored } = await endOf('own-browser-fails');

	const inner = await api.getExecution(await innerOf('own-browser-fails'));
	const [job] = await jobsOf('own-browser-fails');
	expect(error?.message).toBe(`Job ${job?.job_id} failed: Lost [hidden]`);
	for (const text of [stored, inner.stored, n8n.log]) {
		expect(text).toContain(job?.job_id);
		expect(text).not.toContain(TOKEN);
	}
}, 600_000);
