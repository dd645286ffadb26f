import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { CONTINUE, RETRY_AND_CONTINUE, RETRY_ON_FAIL, toResult } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();

const FAILED: JobScript = { statuses: ['running', 'failed'], error: 'A captcha' };
const FAILED_AGAIN: JobScript = { ...FAILED, error: 'A wall' };
const COMPLETED = ['running', 'completed'];
const RUNNING = ['running'];
const THREE: INodeParameters = { options: { maxAttempts: 3 } };

async function run(
	maxAttempts: number,
	options: INodeParameters = {},
	settings: Partial<INode> = {},
) {
	return await service.runAgent({ options: { maxAttempts, ...options } }, { settings });
}

describe('Max Attempts', () => {
	it('starts a failed job again and lists it in the item of the next one', async () => {
		await service.admin.nextJobs([FAILED, COMPLETED]);

		const { json, task, run: execution } = await run(3);

		const [first, second] = await service.admin.jobs();
		expect(second?.request).toEqual(first?.request);
		expect(json).toMatchObject([
			{
				job_id: second?.job_id,
				status: 'completed',
				previous_jobs: [
					{ job_id: first?.job_id, job_error: 'A captcha', credits_used: first?.creditsUsed },
				],
			},
		]);
		expect(execution.data.resultData.metadata).toEqual({
			browser_agent_jobs: `${first?.job_id},${second?.job_id}`,
		});
		expect(task?.hints?.[0]?.message).toMatch(/^2 jobs: 1 failed, 1 completed\./);
	});

	it.each<[string, JobScript | string[], INodeParameters]>([
		['when the first one succeeds', COMPLETED, THREE],
		['when it is not set', FAILED, {}],
		['when the node does not wait', FAILED, { ...THREE, waitUntilFinished: false }],
		['after one that is canceled', ['canceled'], THREE],
		['after one that is taken over', ['user_taken_over'], THREE],
		['after one that is late', RUNNING, { options: { maxAttempts: 3, maxWaitMinutes: 0.5 } }],
	])('starts no second job %s', async (_label, script, parameters) => {
		await service.admin.nextJob(script);

		const { json } = await service.runAgent(parameters, { settings: CONTINUE });

		expect(await service.jobIds()).toHaveLength(1);
		expect(JSON.stringify(json)).not.toContain('previous_jobs');
	});

	it('fails with the last job when all have failed, and names the earlier ones', async () => {
		await service.admin.nextJobs([FAILED, FAILED, FAILED_AGAIN]);

		const { error } = await run(3);

		const ids = await service.jobIds();
		expect(error).toMatchObject({
			message: `Job ${ids[2]} failed: A wall`,
			description: expect.stringContaining(
				`Earlier failed jobs of this item: ${ids[0]}, ${ids[1]}.`,
			),
		});
		const named = error?.context.jobIds as string[] | undefined;
		expect(named?.toSorted()).toEqual(ids.toSorted());
	});

	it('gives a failed item the earlier jobs with Continue On Fail', async () => {
		await service.admin.nextJobs([FAILED, FAILED_AGAIN]);

		const { json } = await run(2, {}, CONTINUE);

		const [first, second] = await service.jobIds();
		const earlier = { job_id: first, job_error: 'A captcha', credits_used: expect.any(Number) };
		expect(json[0]).toMatchObject({
			error: `Job ${second} failed: A wall`,
			details: { job_id: second, status: 'failed', previous_jobs: [earlier] },
		});
	});

	it('counts for each item of a batch by itself', async () => {
		const failing = { ...FAILED, match: 'second' };
		await service.admin.nextJobs([failing, failing]);

		const { json } = await service.runTasks(['first', 'second', 'third'], {
			options: { maxAttempts: 3 },
		});

		const directives = (await service.admin.jobs()).map(({ directive }) => directive);
		expect(directives.sort()).toEqual(['first', 'second', 'second', 'second', 'third']);
		expect(json.map(({ previous_jobs }) => (previous_jobs as IDataObject[])?.length)).toEqual([
			undefined,
			2,
			undefined,
		]);
	});

	it('gives each job the time of Max Wait (Minutes)', async () => {
		const slow = { durationSeconds: 50 };
		await service.admin.nextJobs([{ ...slow, outcome: 'failed' }, slow]);

		const { json } = await run(2, { maxWaitMinutes: 1 });

		expect(json[0]?.status).toBe('completed');
	});
});

describe('A second attempt', () => {
	it('that is stopped has its job paused, and the error names both jobs', async () => {
		await service.admin.nextJobs([FAILED, RUNNING]);
		const execution = service.startAgent({ options: { maxAttempts: 3 } });
		await waitFor(async () => expect((await service.admin.jobs())[1]?.polls).toBeGreaterThan(0));

		execution.stop();

		const { error, run: stopped } = await toResult(execution.finished);
		const [first, second] = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['failed', 'paused']);
		expect(error?.message).toBe(`Execution canceled: the node stopped waiting for job ${second}`);
		expect(error?.description).toContain(`Earlier failed jobs of this item: ${first}.`);
		expect(stopped.data.resultData.metadata).toEqual({ browser_agent_jobs: `${first},${second}` });
	});

	it('whose start is unclear is the last one, and the error names the first job', async () => {
		await service.admin.nextJob(FAILED);
		await service.fault('startAgent', { kind: 'reset', when: 'after', skip: 1 });

		const { error } = await run(5, {}, RETRY_ON_FAIL);

		const [first] = await service.jobIds();
		expect(await service.sent('startAgent')).toHaveLength(2);
		expect(error).toMatchObject({
			message: 'The job was not started again, because the first start may have succeeded',
			description: expect.stringContaining(`Earlier failed jobs of this item: ${first}.`),
			context: { jobIds: [first] },
		});
	});
});

describe('Max Attempts with Retry On Fail', () => {
	it('starts no more jobs in all than Max Attempts allows', async () => {
		await service.admin.nextJobs(Array<JobScript>(10).fill(FAILED));

		const { error } = await run(2, {}, RETRY_ON_FAIL);

		const [, second, ...others] = await service.jobIds();
		expect(others).toEqual([]);
		expect(error?.message).toBe(`Job ${second} failed: A captcha`);
	});

	it('resumes the second job when the node has paused it', async () => {
		await service.admin.nextJobs([FAILED, { durationSeconds: 40 }]);
		const options = { maxWaitMinutes: 0.5, pauseJob: 'onEarlyEnd' };

		const { json } = await run(3, options, RETRY_AND_CONTINUE);

		const [first, second, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(second).toMatchObject({ resumes: 1, status: 'completed' });
		expect(json[0]).toMatchObject({
			job_id: second?.job_id,
			previous_jobs: [{ job_id: first?.job_id }],
		});
	});
});
