import { Editor } from './support/Editor';
import {
	answer,
	countStatuses,
	MANUAL,
	measureAnswer,
	startWaits,
	suspendedWait,
	waitForJob,
} from './support/suspendedWaits';
import { startJob } from './support/startJob';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';
import { waitFor } from './support/waitFor';
import { aWorkflow, browserAgent } from './support/workflowFile';

// A suspended wait polls about once a minute, and n8n reads its database for due waits once a
// minute.
const TWO_POLLS_MS = 200_000;
const SLOTS = 2;
// Each occupies a slot for its first minute, so all are suspended after two minutes.
const WAITS = 2 * SLOTS;
// Less than the minute for which a wait occupies its slot.
const ANSWER_TIMEOUT_MS = 30_000;
// The tests advance the sandbox's clock by this much.
const JOB_SECONDS = 600;
// Longer than all that comes before the end of this job, and shorter than its maximum duration.
const COMPARE_SECONDS = 7_200;
const COMPARE_CONFIG = { maxDurationMinutes: 240 };
// Longer than it takes to start an execution and to kill n8n.
const SAFE_SUSPENSION_MS = 20_000;
const AGENT = { resource: 'agent', operation: 'run' };

let environment: TestEnvironment;
let editor: Editor;
let compare: string;
let watch: string;

beforeAll(async () => {
	environment = await startTestEnvironment({
		sandbox: { limits: 'off' },
		env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(SLOTS) },
		publish: ['wait-for-job', 'answer'],
		workflows: () => [
			waitForJob('wait-for-job'),
			answer('answer'),
			aWorkflow(
				'compare',
				MANUAL,
				suspendedWait('Run Agent', {
					...AGENT,
					directive: 'Compare',
					browserConfig: COMPARE_CONFIG,
				}),
			),
			aWorkflow(
				'watch',
				MANUAL,
				suspendedWait('Run Agent', { ...AGENT, directive: 'Watch' }, { pauseJob: 'onEarlyEnd' }),
			),
			aWorkflow('plain', MANUAL, browserAgent('Run Agent', { ...AGENT, directive: 'Plain' })),
			aWorkflow('show', MANUAL, suspendedWait('Run Agent', { ...AGENT, directive: 'Show' })),
		],
	});
	// Their first minute passes while the first test has its own.
	const { api, sandbox } = environment;
	await sandbox.admin.nextJob({ match: 'Compare', durationSeconds: COMPARE_SECONDS });
	await sandbox.admin.nextJob({ match: 'Watch', statuses: ['running'] });
	compare = await api.startWorkflow('compare', MANUAL.name);
	watch = await api.startWorkflow('watch', MANUAL.name);
	await sandbox.admin.nextJob({ match: 'Show', statuses: ['running'] });
	editor = await Editor.open(environment.n8n);
	await editor.openWorkflow('show');
	await editor.runWorkflow();
}, 600_000);

afterAll(async () => {
	await editor?.close();
	await environment?.stop();
});

it('suspended waits occupy no slot of n8n', async () => {
	const { api, n8n, sandbox } = environment;
	await sandbox.admin.nextJobs(
		Array.from({ length: WAITS }, () => ({ match: 'Wait', durationSeconds: JOB_SECONDS })),
	);
	const jobIds: string[] = [];
	for (let number = 0; number < WAITS; number++) jobIds.push(await startJob(sandbox.url, 'Wait'));

	await startWaits(n8n.url, jobIds);
	await waitFor(
		async () => (await countStatuses(api, 'wait-for-job')).waiting === WAITS,
		TWO_POLLS_MS,
	);
	const answeredAfterMs = await measureAnswer(n8n.url);
	await sandbox.admin.advance(JOB_SECONDS);

	await waitFor(
		async () => (await countStatuses(api, 'wait-for-job')).success === WAITS,
		TWO_POLLS_MS,
	);
	expect(answeredAfterMs).toBeLessThan(ANSWER_TIMEOUT_MS);
}, 480_000);

it('a suspended wait says in the editor what it waits for', async () => {
	const { api } = environment;
	await waitFor(
		async () => (await countStatuses(api, 'show', 'sub-workflows')).waiting === 1,
		TWO_POLLS_MS,
	);
	const [job] = await jobsOf('Show');
	const subWorkflow = (await api.listExecutions('show')).find(({ mode }) => mode === 'integrated');
	const title = `${job?.job_id}: Browser Agent is waiting`;

	await editor.openNode('Run Agent');
	await editor.outputText('Waiting for the job to finish. Stop works here');

	await editor.openExecution('show', subWorkflow?.id ?? '');
	await editor.openNode(title);
	const text = await editor.outputText('live_url');
	expect(text).toContain(`Waiting for job ${job?.job_id}.`);
}, 480_000);

async function jobsOf(directive: string) {
	return (await environment.sandbox.admin.jobs()).filter((job) => job.directive === directive);
}

/** Whether the workflow's suspended wait is due for its next check a good while from now. */
async function staysSuspended(workflowId: string): Promise<boolean> {
	const executions = await environment.api.listExecutions(workflowId);
	const subWorkflow = executions.find(({ mode }) => mode === 'integrated');
	const dueAt = Date.parse(subWorkflow?.waitTill ?? '');
	return (
		executions.every(({ status }) => status === 'waiting') &&
		dueAt > Date.now() + SAFE_SUSPENSION_MS
	);
}

it('a suspended wait continues after a crash of n8n, and ends at its next round after Stop', async () => {
	const { api, n8n, sandbox } = environment;
	await sandbox.admin.nextJob({ match: 'Plain', statuses: ['running'] });
	const plain = await api.startWorkflow('plain', MANUAL.name);
	await waitFor(async () => (await jobsOf('Plain')).length === 1, TWO_POLLS_MS);

	// n8n doesn't resume an execution that runs during a crash, so the crash must not meet a check.
	await waitFor(
		async () => (await staysSuspended('compare')) && (await staysSuspended('watch')),
		2 * TWO_POLLS_MS,
	);
	await n8n.kill();
	await n8n.start();
	await api.signIn();
	await api.stopExecution(watch);
	await sandbox.admin.advance(COMPARE_SECONDS);

	const { status, runs } = await api.waitForExecution(compare, 2 * TWO_POLLS_MS);
	const compared = await jobsOf('Compare');
	expect(status).toBe('success');
	expect(compared).toHaveLength(1);
	expect(runs['Run Agent']).toHaveLength(1);
	expect(runs['Run Agent']?.[0]?.data?.main?.[0]).toEqual([
		{
			json: expect.objectContaining({
				job_id: compared[0]?.job_id,
				status: 'completed',
				duration_seconds: expect.any(Number),
				is_finished: true,
			}),
			pairedItem: { item: 0 },
		},
	]);

	await waitFor(
		async () => (await countStatuses(api, 'watch', 'sub-workflows')).canceled === 1,
		TWO_POLLS_MS,
	);
	const watched = await jobsOf('Watch');
	expect(watched.map((job) => job.status)).toEqual(['paused']);
	await expect(countStatuses(api, 'watch')).resolves.toEqual({ canceled: 1 });

	// An ordinary wait ends there. Its job is found by the execution, workflow and node in the log.
	const lost = await api.getExecution(plain);
	const [job] = await jobsOf('Plain');
	expect(lost.status).toBe('crashed');
	expect(JSON.stringify(lost.error ?? lost.runs)).toContain('possible out-of-memory issue');
	expect(n8n.log).toContain(
		`started job ${job?.job_id} (execution ${plain}, workflow plain 'plain', node 'Run Agent')`,
	);
}, 900_000);
