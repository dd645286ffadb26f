import type { WorkflowFile } from '../../dev/n8n/examples';
import type { Execution } from '../../dev/n8n/N8nApi';
import type { LoggedJob } from '../../dev/sandbox/admin/toLoggedJob';
import type { JobScript } from '../../dev/sandbox/types';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';
import { countStatuses, MANUAL, suspendedWait } from './support/suspendedWaits';
import { waitFor } from './support/waitFor';
import { aWorkflow } from './support/workflowFile';

// What n8n itself does with an inner execution. All else is tested on n8n's engine alone.

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

interface Scenario {
	job: JobScript;
	parameters?: Record<string, unknown>;
	options?: Record<string, unknown>;
	/** Settings of the workflow. */
	settings?: Record<string, unknown>;
}

const TOKEN = 'tok-3f9a2b7c8d1e';
const ADDRESS = `wss://grid.example/?token=${TOKEN}`;

/** The text as an expression: n8n stores the parameters of a node as they are. */
function reversed(text: string): string {
	return `={{ '${[...text].reverse().join('')}'.split('').reverse().join('') }}`;
}

// Each runs an agent. They run side by side, since they mostly wait.
const SCENARIOS: Record<string, Scenario> = {
	'n8n-times-out': { job: LONG_JOB, settings: {} },
	'workflow-times-out': {
		job: ENDLESS,
		options: { pauseJob: 'onEarlyEnd' },
		settings: { executionTimeout: 180 },
	},
	'inner-stopped': { job: ENDLESS },
	'all-stopped': { job: ENDLESS },
	'inner-deleted': { job: ENDLESS },
	'own-browser-fails': {
		job: { ...LONG_JOB, outcome: 'failed', error: `Lost ${ADDRESS}`, omitFields: ['cdp_url'] },
		parameters: { browserConfig: { cdpUrl: reversed(ADDRESS) } },
	},
};

let environment: TestEnvironment;
const executionIds: Record<string, string> = {};

beforeAll(async () => {
	environment = await startTestEnvironment({
		sandbox: { limits: 'off' },
		env: ENV,
		workflows: () => Object.entries(SCENARIOS).map(([id, scenario]) => toWorkflow(id, scenario)),
	});
	const { api, sandbox } = environment;
	for (const [id, { job }] of Object.entries(SCENARIOS)) {
		await sandbox.admin.nextJob({ ...job, match: id });
		executionIds[id] = await api.startWorkflow(id, MANUAL.name);
	}
	await waitFor(async () => {
		const counts = await Promise.all(
			Object.keys(SCENARIOS).map(async (id) => await countStatuses(api, id, 'sub-workflows')),
		);
		return counts.every(({ waiting = 0 }) => waiting > 0);
	}, 2 * MINUTE_MS);

	await api.stopExecution(await innerOf('inner-stopped'));
	await api.stopAll('all-stopped');
	await api.deleteExecution(await innerOf('inner-deleted'));
}, 600_000);

afterAll(async () => {
	await environment?.stop();
});

function toWorkflow(
	id: string,
	{ parameters, options, settings = NO_TIMEOUT }: Scenario,
): WorkflowFile {
	const run = { resource: 'agent', operation: 'run', directive: id, ...parameters };
	const workflow = aWorkflow(id, MANUAL, suspendedWait('Run Agent', run, options));
	return { ...workflow, settings: { ...workflow.settings, ...settings } };
}

async function innerOf(id: string): Promise<string> {
	const rows = await environment.api.listExecutions(id);
	return rows.find(({ mode }) => mode === 'integrated')?.id ?? '';
}

async function endOf(id: string): Promise<Execution> {
	return await environment.api.waitForExecution(executionIds[id] ?? '', SOME_ROUNDS_MS);
}

async function jobOf(id: string): Promise<LoggedJob | undefined> {
	return (await environment.sandbox.admin.jobs()).find(({ directive }) => directive === id);
}

it("EXECUTIONS_TIMEOUT does not end the inner execution, which keeps the result that the suspended execution can't take", async () => {
	const { status } = await endOf('n8n-times-out');

	const inner = await environment.api.getExecution(await innerOf('n8n-times-out'));
	const [result] = inner.runs['Check Job Status']?.at(-1)?.data?.main?.[0] ?? [];
	const job = await jobOf('n8n-times-out');
	expect(status).toBe('canceled');
	expect(inner.status).toBe('success');
	expect(result?.json).toMatchObject({ job_id: job?.job_id, status: 'completed' });
}, 600_000);

it("the timeout in the workflow's settings ends the wait before n8n cancels the execution", async () => {
	const { error, status } = await endOf('workflow-times-out');

	const job = await jobOf('workflow-times-out');
	expect(status).toBe('error');
	expect(error?.message).toMatch(/^Job job_\w+ was still running after 2\.(?:4\d|5) minutes$/);
	expect(error?.description).toContain("Raise 'Timeout After' in the workflow's settings");
	expect(job?.status).toBe('paused');
}, 600_000);

it.each(['inner-stopped', 'all-stopped', 'inner-deleted'])(
	'an inner execution that is stopped or deleted counts as a Stop: %s',
	async (id) => {
		await waitFor(async () => (await jobOf(id))?.status === 'paused', NOTICED_MS);

		const job = await jobOf(id);
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

it("a browser's address is neither shown, stored nor logged by a suspended wait", async () => {
	const { api, n8n } = environment;
	const { error, stored } = await endOf('own-browser-fails');

	const inner = await api.getExecution(await innerOf('own-browser-fails'));
	const job = await jobOf('own-browser-fails');
	expect(error?.message).toBe(`Job ${job?.job_id} failed: Lost [hidden]`);
	for (const text of [stored, inner.stored, n8n.log]) {
		expect(text).toContain(job?.job_id);
		expect(text).not.toContain(TOKEN);
	}
}, 600_000);
