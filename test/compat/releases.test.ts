import * as n8nWorkflow from 'n8n-workflow';

import { createNode, createPollContext } from '../../dev/engine/engine';
import { credentialFor, RETRY_ON_FAIL, testNodeType } from '../support/runNode';
import { runTool } from '../support/runTool';
import { TestTrigger } from '../support/testRuntime';
import { useSandbox } from '../support/useSandbox';
import { waitFor } from '../support/waitFor';
import { PACKAGE_NAME } from '../../nodes/package';

// What must work on every release of n8n, with what n8n-core has had since the oldest one.
const service = useSandbox();

const canSuspend = 'WAIT_FOR_SUB_EXECUTION' in n8nWorkflow;

/** Whether this n8n gives nodes access to the highlighted data of an execution. */
async function canHighlight(): Promise<boolean> {
	let can = false;
	const nodeType = testNodeType({}, async (context) => {
		can = 'customData' in context;
		return [[]];
	});
	await service.runAgent({}, { nodeType });
	return can;
}

describe('Agent: Run', () => {
	it('returns the finished job', async () => {
		const { json } = await service.runAgent();

		const { job_id } = await service.onlyJob();
		expect(json).toMatchObject([{ job_id, status: 'completed' }]);
	});

	it('highlights the ID of its job where n8n can', async () => {
		const { run } = await service.runAgent();

		const { job_id } = await service.onlyJob();
		const expected = (await canHighlight()) ? job_id : undefined;
		expect(run.data.resultData.metadata?.browser_agent_jobs).toBe(expected);
	});

	it('starts no second job with Retry On Fail after one that failed', async () => {
		await service.admin.nextJob(['failed']);

		const { error } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(error?.message).toContain((await service.onlyJob()).job_id);
	});

	it('shows hints', async () => {
		const { task } = await service.runTasks(['one', 'two']);

		expect(task?.hints?.map(({ message }) => message).join()).toContain('2 jobs');
	});

	it('pauses its job when the execution is stopped', async () => {
		await service.admin.nextJob({ statuses: ['running'] });
		const { finished, stop } = service.startAgent();
		await waitFor(async () => expect(await service.sent('getJob')).not.toEqual([]));

		stop();
		await finished;

		await waitFor(async () => expect(await service.jobStatuses()).toEqual(['paused']));
	});

	it('attaches files', async () => {
		await service.admin.nextJob({ files: [{ filename: 'a.csv', content: 'day,sales\n' }] });

		const { items } = await service.runAgent({ options: { downloadFiles: true } });

		const [file] = Object.values(items[0]?.binary ?? {});
		expect(file?.fileName).toBe('a.csv');
		expect(Buffer.from(file?.data ?? '', 'base64').toString()).toBe('day,sales\n');
	});

	it('says what is wrong when the service rejects the API key', async () => {
		const { error } = await service.runAgent({}, { apiKey: 'wrong-key' });

		expect(error?.message).toContain('API key');
	});

	it('is a tool whose answer names the job', async () => {
		const calls = [{ directive: 'As a tool' }];

		const { answers } = await runTool({ form: 'called by the agent', baseUrl: service.url, calls });

		expect(answers.join()).toContain((await service.onlyJob()).job_id);
	});

	(canSuspend ? it : it.skip)('is suspended with Suspend While Waiting', async () => {
		await service.admin.nextJob({ durationSeconds: 300 });
		const { engine, finished } = service.suspendAgent();

		expect((await finished).json).toMatchObject([{ status: 'completed' }]);
		expect(engine.waits.length).toBeGreaterThan(0);
	});

	(canSuspend ? it.skip : it)('waits with Suspend While Waiting where n8n lacks it', async () => {
		await service.admin.nextJob({ durationSeconds: 300 });

		const { json, task } = await service.runAgent({ options: { suspendWhileWaiting: true } });

		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(task?.hints?.map(({ message }) => message).join()).toContain('was not suspended');
	});
});

it('Job: Wait polls until the job has finished', async () => {
	const jobId = await service.givenJob({ durationSeconds: 300 });

	const { json } = await service.waitForJob(jobId);

	expect(json).toMatchObject([{ job_id: jobId, status: 'completed' }]);
	expect((await service.sent('getJob')).length).toBeGreaterThan(1);
});

it('The trigger emits a finished job once', async () => {
	const type = `${PACKAGE_NAME}.browserAgentTrigger`;
	const trigger = new TestTrigger();
	const jobIds = await service.givenJob(['completed']);
	const parameters = { jobSource: 'ids', jobIds, triggerOn: ['completed'] };
	const context = createPollContext(createNode('Trigger', type, { parameters }), {
		nodeTypes: { [type]: trigger },
		credentials: credentialFor({ baseUrl: service.url }),
	});

	const [first, second] = [await trigger.poll.call(context), await trigger.poll.call(context)];

	expect(first?.flat().map(({ json }) => json.job_id)).toEqual([jobIds]);
	expect(second).toBeNull();
});
