import { example } from '../../dev/n8n/examples';
import { formPath, sendForm } from './support/Form';
import { startJob } from './support/startJob';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';
import { waitFor } from './support/waitFor';

// n8n polls once a minute, and once at every start. The first poll may find the job still running.
const TWO_POLLS_MS = 150_000;
const LONG = 300;

jest.setTimeout(2 * TWO_POLLS_MS);

let environment: TestEnvironment;
let jobs: { finished: string; whileDown: string; running: string };

beforeAll(async () => {
	environment = await startTestEnvironment({
		sandbox: { limits: 'off', defaultJobSeconds: 2 },
		publish: ['listed-jobs', 'trigger-pair-start', 'trigger-pair-finish'],
		async workflows({ n8nUrl, sandboxUrl }) {
			const start = async (seconds: number) => await startJobOf(sandboxUrl, seconds);
			jobs = {
				finished: await start(0),
				whileDown: await start(LONG),
				running: await start(100 * LONG),
			};
			const list = `${n8nUrl}/webhook/browser-agent-jobs`;
			return [
				example('trigger-pair-start'),
				example('trigger-pair-finish', {}, { 'When a Job Has Finished': { jobListUrl: list } }),
				example(
					'trigger-pair-finish',
					{ id: 'listed-jobs' },
					{
						'When a Job Has Finished': { jobSource: 'ids', jobIds: Object.values(jobs).join('\n') },
					},
				),
			];
		},
	});
}, 300_000);

afterAll(async () => {
	await environment?.stop();
});

/** The IDs of the jobs that the trigger has emitted so far, in their order. */
async function emittedJobs(workflowId: string): Promise<unknown[]> {
	const executions = await environment.api.getExecutions(workflowId);
	return executions.reverse().flatMap(({ runs }) => {
		const items = runs['When a Job Has Finished']?.[0]?.data?.main?.[0] ?? [];
		return items.map(({ json }) => json.job_id);
	});
}

async function waitUntilEmitted(workflowId: string, jobId: string): Promise<void> {
	await waitFor(
		async () => (await emittedJobs(workflowId)).includes(jobId),
		TWO_POLLS_MS,
		`the trigger of ${workflowId} emits ${jobId}`,
	).catch((error: Error) => {
		throw new Error(`${error.message}\nThe end of n8n's log:\n${environment.n8n.log.slice(-3000)}`);
	});
}

it('the trigger emits a job that had finished before the workflow was published', async () => {
	await waitUntilEmitted('listed-jobs', jobs.finished);

	await expect(emittedJobs('listed-jobs')).resolves.toEqual([jobs.finished]);
	const [execution] = await environment.api.listExecutions('listed-jobs');
	const { runs } = await environment.api.waitForExecution(execution?.id ?? '');
	expect(runs['Pick the Result']?.[0]?.data?.main?.[0]?.[0]?.json).toMatchObject({
		job_id: jobs.finished,
	});
});

it('the trigger emits a job that finishes while n8n is down, and no job twice after a crash', async () => {
	await environment.n8n.kill();
	await environment.sandbox.admin.advance(LONG);
	await environment.n8n.start();
	await environment.api.signIn();

	await waitUntilEmitted('listed-jobs', jobs.whileDown);

	await expect(emittedJobs('listed-jobs')).resolves.toEqual([jobs.finished, jobs.whileDown]);
});

it('the trigger emits a job of the list that another workflow maintains', async () => {
	await environment.sandbox.admin.nextJob({
		match: 'Compare the prices',
		durationSeconds: 1,
		files: [{ filename: 'prices.csv' }],
	});
	const path = formPath('trigger-pair-start', 'Request a Task');
	await sendForm(environment.n8n.url, path, ['Compare the prices', 'https://shop.example.com']);

	const jobId = await jobIdOf('Compare the prices');
	await waitUntilEmitted('trigger-pair-finish', jobId);

	const [execution] = await environment.api.listExecutions('trigger-pair-finish');
	const { status, runs } = await environment.api.waitForExecution(execution?.id ?? '');
	const files = runs['Get the Files']?.[0]?.data?.main?.[0] ?? [];
	expect(status).toBe('success');
	expect(files.map(({ json }) => json.filename)).toEqual(['prices.csv']);
	const list = await fetch(`${environment.n8n.url}/webhook/browser-agent-jobs`);
	await expect(list.json()).resolves.toEqual([]);
});

async function jobIdOf(directive: string): Promise<string> {
	let jobId: string | undefined;
	await waitFor(async () => {
		const jobs = await environment.sandbox.admin.jobs();
		jobId = jobs.find((job) => job.directive === directive)?.job_id;
		return jobId !== undefined;
	}, TWO_POLLS_MS);
	return String(jobId);
}

async function startJobOf(sandboxUrl: string, durationSeconds: number): Promise<string> {
	// Over plain HTTP, since the environment with its admin client does not exist yet.
	await fetch(`${sandboxUrl}/_sandbox/scripts`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify([{ durationSeconds }]),
	});
	return await startJob(sandboxUrl);
}
