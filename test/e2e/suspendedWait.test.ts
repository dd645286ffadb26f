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
// The test advances the sandbox's clock by this much.
const JOB_SECONDS = 600;
const COMPARE_SECONDS = JOB_SECONDS + 240;
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
			aWorkflow('compare', MANUAL, suspendedWait('Run Agent', { ...AGENT, directive: 'Compare' })),
			aWorkflow(
				'watch',
				MANUAL,
				suspendedWait('Run Agent', { ...AGENT, directive: 'Watch' }, { pauseJob: 'always' }),
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
	await editor.outputText('Waiting for the job to finish. The execution is suspended');

	await editor.openExecution('show', subWorkflow?.id ?? '');
	const outer = (await api.listExecutions('show')).find(({ mode }) => mode !== 'integrated');
	await editor.note(`To stop waiting, stop execution ${outer?.id}, not this one.`);
	await editor.openNode(title);
	const text = await editor.outputText('live_url');
	expect(text).toContain(`Waiting for job ${job?.job_id}.`);
}, 480_000);

async function jobsOf(directive: string) {
	return (await environment.sandbox.admin.jobs()).filter((job) => job.directive === directive);
}

it('a suspended wait continues after a crash of n8n, and ends at its next round after Stop', async () => {
	const { api, n8n, sandbox } = environment;
	// A poll takes part of a second, and n8n does not resume what is running during a crash.
	await waitFor(async () => {
		const isSuspended = async (id: string) =>
			(await api.getExecution(id)).status === 'waiting' &&
			(await countStatuses(api, id === compare ? 'compare' : 'watch', 'sub-workflows')).waiting;
		return Boolean((await isSuspended(compare)) && (await isSuspended(watch)));
	}, TWO_POLLS_MS);

	await sandbox.admin.nextJob({ match: 'Plain', statuses: ['running'] });
	const plain = await api.startWorkflow('plain', MANUAL.name);
	await waitFor(async () => (await jobsOf('Plain')).length === 1, TWO_POLLS_MS);
	await n8n.kill();
	await n8n.start();
	await api.signIn();
	await api.stopExecution(watch);

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
