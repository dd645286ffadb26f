import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { RETRY_ON_FAIL, toResult } from '../../support/runNode';
import { startSuspended } from '../../support/runSuspended';
import { runTool, type ToolForm } from '../../support/runTool';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();

const FAILED = { statuses: ['running', 'failed'], error: 'A captcha' };
const COMPLETED = ['running', 'completed'];
const RUNNING = ['running'];
const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };

async function run(
	maxAttempts: number,
	options: INodeParameters = {},
	more: Partial<SandboxRun> = {},
) {
	return await service.runAgent({ options: { maxAttempts, ...options } }, more);
}

describe('Max Attempts', () => {
	it('starts a job that has failed again, and lists it in the item of the next one', async () => {
		await service.admin.nextJobs([FAILED, COMPLETED]);

		const { items, task, run: execution } = await run(3);

		const [first, second] = await service.admin.jobs();
		expect(await service.jobStatuses()).toEqual(['failed', 'completed']);
		expect(second?.request).toEqual(first?.request);
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			job_id: second?.job_id,
			status: 'completed',
			previous_jobs: [
				{ job_id: first?.job_id, job_error: 'A captcha', credits_used: first?.creditsUsed },
			],
		});
		expect(execution.data.resultData.metadata).toEqual({
			browser_agent_jobs: `${first?.job_id},${second?.job_id}`,
		});
		expect(task?.hints?.[0]?.message).toMatch(/^2 jobs: 1 failed, 1 completed\./);
	});

	it('lists the failed jobs of a workflow, also with Simplify off', async () => {
		await service.admin.nextJobs([FAILED, COMPLETED]);

		const { items } = await service.runWorkflow({
			simplify: false,
			options: { maxAttempts: 2 },
		});

		const [first, second] = await service.jobIds();
		expect(items[0]?.json).toEqual({
			job_id: second,
			status: 'completed',
			response: expect.any(Object),
			previous_jobs: [expect.objectContaining({ job_id: first, job_error: 'A captcha' })],
		});
	});

	it('lists nothing when the first job succeeds', async () => {
		const { items } = await run(5);

		expect(await service.jobIds()).toHaveLength(1);
		expect(items[0]?.json).not.toHaveProperty('previous_jobs');
	});

	it.each([
		['is not set', {}],
		['is 1', { maxAttempts: 1 }],
	])('starts no second job when it %s', async (_label, options) => {
		await service.admin.nextJob(FAILED);

		const { error } = await service.runAgent({ options });

		const [jobId, ...others] = await service.jobIds();
		expect(others).toEqual([]);
		expect(error?.message).toBe(`Job ${jobId} failed: A captcha`);
	});

	it('does nothing when the node does not wait', async () => {
		await service.admin.nextJob(['failed']);

		await service.runAgent({ waitUntilFinished: false, options: { maxAttempts: 3 } });

		expect(await service.jobIds()).toHaveLength(1);
	});

	it.each(['canceled', 'cancelled', 'user_taken_over'])(
		'starts no second job after one that is %s',
		async (status) => {
			await service.admin.nextJob(['running', status]);

			const { error } = await run(3);

			expect(await service.jobIds()).toHaveLength(1);
			expect(error?.message).toMatch(/was (cancelled|taken over by a user)/);
		},
	);

	it.each<[string, () => Promise<void>, INodeParameters]>([
		['that is not finished in time', async () => await service.admin.nextJob(RUNNING), {}],
		[
			'that the service does not know',
			async () =>
				await service.admin.fault({
					endpoint: 'getJob',
					kind: 'status',
					status: 404,
					times: 'always',
				}),
			{ pollIntervalSeconds: 15 },
		],
		[
			'whose status is refused',
			async () => await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 }),
			{},
		],
		[
			'whose start is unclear',
			async () =>
				await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' }),
			{},
		],
	])('starts no second job after one %s', async (_label, prepare, options) => {
		await prepare();

		const { error } = await run(3, { maxWaitMinutes: 0.5, ...options });

		expect(await service.jobIds()).toHaveLength(1);
		expect(error).toBeDefined();
	});

	it('fails with the last job when all have failed, and names the earlier ones', async () => {
		await service.admin.nextJobs([FAILED, FAILED, { ...FAILED, error: 'A wall' }]);

		const { error } = await run(3);

		const ids = await service.jobIds();
		expect(ids).toHaveLength(3);
		expect(error).toMatchObject({
			message: `Job ${ids[2]} failed: A wall`,
			description: expect.stringContaining(`Failed before: ${ids[0]}, ${ids[1]}.`),
		});
		expect([...(error?.context.jobIds as string[])].sort()).toEqual([...ids].sort());
	});

	it('gives a failed item the earlier jobs with Continue On Fail', async () => {
		await service.admin.nextJobs([FAILED, { ...FAILED, error: 'A wall' }]);

		const { items } = await run(2, {}, { settings: CONTINUE });

		const [first, second] = await service.jobIds();
		expect(items[0]?.json).toMatchObject({
			error: `Job ${second} failed: A wall`,
			details: {
				job_id: second,
				status: 'failed',
				previous_jobs: [
					{ job_id: first, job_error: 'A captcha', credits_used: expect.any(Number) },
				],
			},
		});
	});

	it('returns the last job when all have failed and On Job Failure is Return', async () => {
		await service.admin.nextJobs([FAILED, { ...FAILED, error: 'A wall' }]);

		const { items } = await run(2, { onUnsuccessful: 'return' });

		const [first, second] = await service.jobIds();
		expect(items[0]?.json).toMatchObject({
			job_id: second,
			job_error: 'A wall',
			previous_jobs: [{ job_id: first }],
		});
	});

	it('counts for each item of a batch by itself', async () => {
		await service.admin.nextJobs([
			{ ...FAILED, match: 'second' },
			{ ...FAILED, match: 'second' },
		]);

		const { items } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { maxAttempts: 3 } },
			{ input: [{ task: 'first' }, { task: 'second' }, { task: 'third' }] },
		);

		const directives = (await service.admin.jobs()).map(({ directive }) => directive);
		expect(directives.sort()).toEqual(['first', 'second', 'second', 'second', 'third']);
		expect(items.map(({ json }) => (json.previous_jobs as IDataObject[])?.length)).toEqual([
			undefined,
			2,
			undefined,
		]);
	});

	it('gives each job the time of Max Wait (Minutes)', async () => {
		const slow = { durationSeconds: 50 };
		await service.admin.nextJobs([{ ...slow, outcome: 'failed' }, slow]);

		const { items } = await run(2, { maxWaitMinutes: 1 });

		expect(items[0]?.json.status).toBe('completed');
	});

	it('has its running job paused when another item fails, and Pause Job is on', async () => {
		await service.admin.nextJobs([
			{ ...FAILED, match: 'first' },
			{ match: 'second', statuses: [{ status: 'running', seconds: 60 }, 'canceled'] },
			{ match: 'first', statuses: RUNNING },
		]);

		const { error } = await service.runAgent(
			{
				directive: '={{ $json.task }}',
				options: { maxAttempts: 3, pauseWhenAbandoned: true },
			},
			{ input: [{ task: 'first' }, { task: 'second' }] },
		);

		const [, , third] = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['failed', 'canceled', 'paused']);
		expect(error?.description).toContain(`Paused: ${third}.`);
	});
});

describe('A second attempt', () => {
	it('that is stopped has its job paused, and the error names both', async () => {
		await service.admin.nextJobs([FAILED, RUNNING]);
		const execution = service.startAgent({ options: { maxAttempts: 3 } });
		await waitFor(async () => expect((await service.admin.jobs())[1]?.polls).toBeGreaterThan(0));

		execution.stop();

		const { error, run: stopped } = await toResult(execution.finished);
		const [first, second, ...others] = await service.jobIds();
		expect(others).toEqual([]);
		expect(await service.jobStatuses()).toEqual(['failed', 'paused']);
		expect(error?.message).toBe(`Execution canceled: the node stopped waiting for job ${second}`);
		expect(error?.description).toContain(`Failed before: ${first}.`);
		expect(stopped.data.resultData.metadata).toEqual({
			browser_agent_jobs: `${first},${second}`,
		});
	});

	it('that waits for its turn is not sent after a Stop', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 3_600_000 } });
		service.clock.hold();
		await service.admin.nextJob(FAILED);
		const execution = service.startAgent({ options: { maxAttempts: 3 } });
		await service.clock.advance(60_000);
		expect(await service.jobStatuses()).toEqual(['failed']);

		execution.stop();
		await service.clock.advance(1_000);

		const { status, error } = await toResult(execution.finished);
		await service.clock.advance(3_600_000);
		expect(status).toBe('canceled');
		expect(error?.description).toContain(`Failed before: ${(await service.jobIds())[0]}.`);
		expect(await service.requests({ endpoint: 'startAgent' })).toHaveLength(1);
	});

	it('that is unclear is the last one, and the error names the job before', async () => {
		await service.admin.nextJob(FAILED);
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after', skip: 1 });

		const { error } = await run(5, {}, { settings: RETRY_ON_FAIL });

		const [first] = await service.jobIds();
		expect(await service.requests({ endpoint: 'startAgent' })).toHaveLength(2);
		expect(error).toMatchObject({
			message: 'Not started again: an earlier try may have started a job already',
			description: expect.stringContaining(`Failed before: ${first}.`),
			context: { jobIds: [first] },
		});
	});

	it('that is unclear gives its item the job before, and no other', async () => {
		await service.admin.nextJob(FAILED);
		await service.admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after', skip: 1 });

		const { items } = await run(5, {}, { settings: CONTINUE });

		const [first] = await service.jobIds();
		expect(items[0]?.json).toMatchObject({
			error: expect.stringContaining('It is unclear whether a job was started'),
			details: { previous_jobs: [{ job_id: first, job_error: 'A captcha' }] },
		});
		expect(items[0]?.json.details).not.toHaveProperty('job_id');
	});

	it('needs Minimum Credits again', async () => {
		await service.admin.nextJob(FAILED);
		await service.admin.fault({
			endpoint: 'getCreditBalance',
			kind: 'body',
			body: { plan: 'pro', unlimited: false, credit_balance: 9 },
			skip: 1,
		});

		const { error } = await run(3, { minimumCredits: 10 });

		const [first, ...others] = await service.jobIds();
		expect(others).toEqual([]);
		expect(error).toMatchObject({
			message:
				"The account has 9 credits, fewer than 'Minimum Credits' (10), so no further job was started",
			description: expect.stringContaining(`Failed before: ${first}.`),
		});
	});

	it('asks for the balance before each start, once for each', async () => {
		await service.admin.nextJobs([FAILED, FAILED]);

		await run(3, { minimumCredits: 10 });

		expect(await service.requests({ endpoint: 'getCreditBalance' })).toHaveLength(3);
	});
});

describe('Max Attempts with Retry On Fail', () => {
	it.each([
		['', {}],
		[' and Continue On Fail', CONTINUE],
	])('starts no more jobs than that in all%s', async (_label, settings) => {
		await service.admin.nextJobs(Array(10).fill(FAILED));

		const { error, items } = await run(2, {}, { settings: { ...RETRY_ON_FAIL, ...settings } });

		const [, second, ...others] = await service.jobIds();
		expect(others).toEqual([]);
		expect(error?.message ?? items[0]?.json.error).toBe(`Job ${second} failed: A captcha`);
	});

	it('continues with the second job, without a poll of the first', async () => {
		await service.admin.nextJobs([FAILED, { durationSeconds: 40 }]);

		const { items } = await run(3, { maxWaitMinutes: 0.5 }, { settings: RETRY_ON_FAIL });

		const [first, second, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(first?.polls).toBe(2);
		expect(items[0]?.json).toMatchObject({
			job_id: second?.job_id,
			status: 'completed',
			previous_jobs: [{ job_id: first?.job_id }],
		});
	});

	it('resumes the second job when the node has paused it', async () => {
		await service.admin.nextJobs([FAILED, { durationSeconds: 40 }]);

		const { items } = await run(
			3,
			{ maxWaitMinutes: 0.5, pauseWhenAbandoned: true },
			{ settings: RETRY_ON_FAIL },
		);

		const [, second, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(second).toMatchObject({ pauses: 1, resumes: 1 });
		expect(items[0]?.json.status).toBe('completed');
	});

	it('starts the second job after a rejected start of it', async () => {
		await service.admin.nextJob(FAILED);
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402, skip: 1 });

		const { items } = await run(2, {}, { settings: RETRY_ON_FAIL });

		expect(await service.jobIds()).toHaveLength(2);
		expect(items[0]?.json).toMatchObject({ status: 'completed', previous_jobs: [{}] });
	});

	it('starts nothing more for other items after the last attempt of one', async () => {
		await service.admin.nextJobs(Array(2).fill({ ...FAILED, match: 'first' }));

		const { error } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { maxParallelJobs: 1, maxAttempts: 2 } },
			{ input: [{ task: 'first' }, { task: 'second' }], settings: RETRY_ON_FAIL },
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive)).toEqual(['first', 'first']);
		expect(error?.description).toContain(`Failed before: ${jobs[0]?.job_id}.`);
	});
});

const CALL = { directive: 'Find the price' };

async function runToolCalls(form: ToolForm, calls: IDataObject[], areAtOnce = false) {
	return await runTool({
		form,
		baseUrl: service.url,
		parameters: {
			resource: 'agent',
			operation: 'run',
			directive: "={{ $fromAI('directive', 'What to do', 'string') }}",
			options: { maxAttempts: 2 },
		},
		calls,
		areAtOnce,
	});
}

describe.each<ToolForm>(['called by the agent', 'run by the engine'])(
	'Max Attempts of a tool %s',
	(form) => {
		it('gives the model the second job, with the first one', async () => {
			await service.admin.nextJobs([FAILED, COMPLETED]);

			const { answers } = await runToolCalls(form, [CALL]);

			const [first, second] = await service.jobIds();
			const [item] = JSON.parse(answers[0] ?? '') as IDataObject[];
			expect(item).toMatchObject({ job_id: second, previous_jobs: [{ job_id: first }] });
		});

		it('names all jobs when all have failed, and starts none for an equal call', async () => {
			await service.admin.nextJobs([FAILED, FAILED]);

			const { answers } = await runToolCalls(form, [CALL, CALL]);

			const [first, second, ...others] = await service.jobIds();
			expect(others).toEqual([]);
			for (const answer of answers) {
				expect(answer).toContain(`Job ${second} failed: A captcha`);
				expect(answer).toContain(`Failed before: ${first}.`);
			}
		});
	},
);

it('Equal calls of a tool at the same time share the jobs of all attempts', async () => {
	await service.admin.nextJobs([FAILED, ['running', 'running', 'running', 'completed']]);

	const { answers } = await runToolCalls('called by the agent', [CALL, CALL], true);

	const [first, second, ...others] = await service.jobIds();
	expect(others).toEqual([]);
	for (const answer of answers) {
		expect(JSON.parse(answer)).toMatchObject([
			{ job_id: second, status: 'completed', previous_jobs: [{ job_id: first }] },
		]);
	}
});

describe('Max Attempts with Suspend While Waiting', () => {
	const suspended = async (options: INodeParameters) => {
		const { engine, finished } = startSuspended({
			baseUrl: service.url,
			resource: 'agent',
			operation: 'run',
			parameters: { directive: 'Find the price', options },
		});
		return { engine, result: await finished };
	};

	it('is an error that names both, and nothing is sent', async () => {
		const { result } = await suspended({ maxAttempts: 2 });

		expect(result.error).toMatchObject({
			message: "'Max Attempts' is not possible together with 'Suspend While Waiting'",
			description:
				"Nothing was started. Set 'Max Attempts' to 1, or turn 'Suspend While Waiting' off.",
		});
		expect(await service.requests()).toEqual([]);
	});

	it('is no error for one attempt', async () => {
		const { result } = await suspended({ maxAttempts: 1 });

		expect(result.items[0]?.json.status).toBe('completed');
	});
});
