import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { captureLog } from '../../support/captureLog';
import { holdRequests } from '../../support/holdRequests';
import { RETRY_ON_FAIL, toResult } from '../../support/runNode';
import { runTool, type ToolForm } from '../../support/runTool';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const MINUTE_MS = 60_000;
const FLOOR = 100;
const MESSAGE =
	"The account has 99 credits, fewer than 'Stop Below Credits' (100), so running jobs are paused and no more are started";
const CONTINUE: Partial<INode> = { onError: 'continueRegularOutput' };
const LONG = { durationSeconds: 900 };
const TASKS = { directive: '={{ $json.task }}' };

/** After so many other answers, the balance has this many credits. */
async function givenCredits(
	credits: number,
	{ skip = 0, times = 'always' as number | 'always' } = {},
) {
	const body = { plan: 'pro', unlimited: false, credit_balance: credits };
	await service.admin.fault({ endpoint: 'getCreditBalance', kind: 'body', body, skip, times });
}

async function run(options: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	return await service.runAgent({ options: { stopBelowCredits: FLOOR, ...options } }, more);
}

async function runTasks(tasks: string[], options: INodeParameters, more: Partial<SandboxRun> = {}) {
	return await service.runAgent(
		{ ...TASKS, options: { stopBelowCredits: FLOOR, ...options } },
		{ input: tasks.map((task) => ({ task })), ...more },
	);
}

/** Waits for these jobs, one after the other. */
async function waitForJobs(ids: string[], settings: Partial<INode> = {}) {
	return await service.run({
		resource: 'job',
		operation: 'wait',
		parameters: { options: { stopBelowCredits: FLOOR, maxParallelJobs: 1 } },
		input: ids.map((job_id) => ({ job_id })),
		settings,
	});
}

async function balanceReads() {
	return await service.requests({ endpoint: 'getCreditBalance' });
}

describe('Stop Below Credits', () => {
	it('pauses the job when the credits have fallen below it, whatever On Stop says', async () => {
		await service.admin.nextJob(LONG);
		await givenCredits(99, { skip: 2 });

		const { error } = await run({ onStop: 'leave' });

		const [job] = await service.admin.jobs();
		const reads = await balanceReads();
		const polls = await service.requests({ endpoint: 'getJob' });
		expect(job?.status).toBe('paused');
		expect(reads).toHaveLength(3);
		expect(polls.at(-1)?.sandboxMs).toBeLessThanOrEqual((reads.at(-1)?.sandboxMs ?? 0) + 1_000);
		expect(error).toMatchObject({
			message: MESSAGE,
			description: expect.stringMatching(
				new RegExp(
					`^Add credits .* Jobs started by this node: ${job?.job_id}\\. Paused: ${job?.job_id}\\.$`,
				),
			),
			context: { itemIndex: 0, jobIds: [job?.job_id] },
		});
	});

	it.each([
		['begins with the wait, so that a job is paused at once', 99, 'paused'],
		['lets a job continue with just as many credits', 100, 'completed'],
	])('%s', async (_label, credits, status) => {
		await givenCredits(credits);

		await run();

		expect(await service.jobStatuses()).toEqual([status]);
	});

	it('reads the balance every two minutes, once for all jobs of an account', async () => {
		await service.admin.nextJobs([LONG, LONG, LONG]);

		await runTasks(['a', 'b', 'c'], { pollIntervalSeconds: 30 });

		const times = (await balanceReads()).map(({ sandboxMs }) => sandboxMs);
		const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
		expect(times).toHaveLength(8);
		for (const gap of gaps) {
			expect(gap).toBeGreaterThanOrEqual(2 * MINUTE_MS);
			expect(gap).toBeLessThan(2.1 * MINUTE_MS);
		}
	});

	it('reads no balance when it is not set', async () => {
		await service.runAgent();

		expect(await balanceReads()).toEqual([]);
	});

	it('is ignored when the node does not wait', async () => {
		await service.runAgent({ waitUntilFinished: false, options: { stopBelowCredits: 0 } });

		expect(await balanceReads()).toEqual([]);
	});

	it('lets unlimited accounts pass', async () => {
		const body = { plan: 'enterprise', unlimited: true, credit_balance: null };
		await service.admin.fault({ endpoint: 'getCreditBalance', kind: 'body', body });

		await run();

		expect(await service.jobStatuses()).toEqual(['completed']);
	});

	it.each<[string, FaultCase]>([
		['the service fails', { kind: 'status', status: 503 }],
		['the key may not read it', { kind: 'status', status: 403 }],
		['the connection is lost', { kind: 'reset' }],
		['it is not a number', { kind: 'body', body: { credit_balance: 'few' } }],
	])('tolerates that the balance cannot be read until it is read next: %s', async (...given) => {
		const [, fault] = given;
		const log = captureLog();
		await service.admin.nextJob(LONG);
		await service.admin.fault({ endpoint: 'getCreditBalance', times: 2, ...fault });
		await givenCredits(99);

		const { error } = await run();

		const reads = await balanceReads();
		expect(reads).toHaveLength(3);
		expect(error?.message).toBe(MESSAGE);
		if (fault.kind !== 'body') expect(log.join('\n')).toContain('could not read');
	});

	it('pauses all jobs of the node, and names them', async () => {
		await service.admin.nextJobs(Array(12).fill(LONG));
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 100, windowMs: MINUTE_MS } });
		await service.admin.setLimits({ limits: 'off' });
		await givenCredits(99, { skip: 1 });

		const { error } = await runTasks(
			Array.from({ length: 12 }, (_, index) => `task ${index}`),
			{ maxParallelJobs: 12 },
		);

		const ids = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(Array(12).fill('paused'));
		expect(error?.message).toBe(MESSAGE);
		for (const jobId of ids) expect(error?.description?.split('Paused: ')[1]).toContain(jobId);
	});

	it('starts nothing more: a start that waits for its turn is not sent', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 60 * MINUTE_MS } });
		await service.admin.nextJob(LONG);
		await givenCredits(99, { skip: 1 });

		const { items } = await runTasks(
			['a', 'b', 'c'],
			{ maxParallelJobs: 2 },
			{ settings: CONTINUE },
		);

		const [job] = await service.admin.jobs();
		expect(await service.requests({ endpoint: 'startAgent' })).toHaveLength(1);
		expect(items.map(({ json }) => json)).toEqual([
			{
				error: MESSAGE,
				details: {
					job_id: job?.job_id,
					status: 'paused',
					live_url: expect.any(String),
					history_url: expect.any(String),
				},
			},
			{ error: MESSAGE },
			{ error: MESSAGE },
		]);
	});

	it.each([
		['', {}],
		[' and Continue On Fail', CONTINUE],
	])('pauses a job whose start was on its way%s', async (_label, settings) => {
		await service.admin.nextJobs([LONG, LONG]);
		await givenCredits(99);
		const { onRequest, sent, release } = holdRequests('second');
		clock.hold();
		const execution = service.startAgent(
			{ ...TASKS, options: { stopBelowCredits: FLOOR } },
			{ input: [{ task: 'first' }, { task: 'second' }], onRequest, settings },
		);
		await sent();
		await clock.advance(2_000);
		expect(await service.jobStatuses()).toEqual(['paused']);

		release();
		await clock.advance(10_000);

		const { error, items } = await toResult(execution.finished);
		const [, second] = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['paused', 'paused']);
		expect(error?.description ?? JSON.stringify(items[1]?.json)).toContain(second);
	});

	it('takes the highest of different values', async () => {
		await givenCredits(99);

		const { error } = await service.runAgent(
			{ ...TASKS, options: { stopBelowCredits: '={{ $json.floor }}' } },
			{
				input: [
					{ task: 'a', floor: 10 },
					{ task: 'b', floor: 100 },
				],
			},
		);

		expect(error?.message).toBe(MESSAGE);
	});

	it('stops one account only, when the items have several', async () => {
		await service.admin.nextJobs([
			{ ...LONG, match: 'first' },
			{ ...LONG, match: 'second' },
		]);
		await service.admin.setCredits('sandbox-pro-key', 99);

		const { items } = await runTasks(
			[],
			{},
			{
				apiKey: '={{ $json.key }}',
				input: [
					{ key: 'sandbox-pro-key', task: 'first' },
					{ key: 'sandbox-enterprise-key', task: 'second' },
				],
				settings: CONTINUE,
			},
		);

		expect(items.map(({ json }) => json.error ?? json.status)).toEqual([MESSAGE, 'completed']);
		expect(await service.requests({ endpoint: 'pauseJob' })).toHaveLength(1);
	});

	it('pauses also a job whose own wait was over before, with Continue On Fail', async () => {
		await service.admin.nextJobs([LONG, LONG]);
		await givenCredits(99, { skip: 1 });

		const { items } = await service.runAgent(
			{ options: { stopBelowCredits: FLOOR, maxWaitMinutes: '={{ $json.minutes }}' } },
			{ input: [{ minutes: 0.5 }, { minutes: 30 }], settings: CONTINUE },
		);

		expect(items.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('was still running after 0.5 minutes'),
			MESSAGE,
		]);
		expect(await service.jobStatuses()).toEqual(['paused', 'paused']);
	});

	it('pauses the job that Job: Wait waits for', async () => {
		const jobId = await service.givenJob(LONG);
		await givenCredits(99, { skip: 1 });

		const { error } = await service.waitForJob(jobId, { stopBelowCredits: FLOOR });

		expect(await service.jobStatuses()).toEqual(['paused']);
		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Paused: ${jobId}.`);
	});

	it('does not pause a job that is paused', async () => {
		const jobId = await service.givenJob(['paused']);
		await givenCredits(99, { skip: 1 });

		const { error } = await service.waitForJob(jobId, { stopBelowCredits: FLOOR });

		expect(error?.message).toBe(MESSAGE);
		expect(await service.requests({ endpoint: 'pauseJob' })).toEqual([]);
	});

	it('returns the jobs of a batch that have finished', async () => {
		const ids = [
			await service.givenJob(LONG),
			await service.givenJob(['completed']),
			await service.givenJob({ statuses: ['failed'], error: 'A captcha' }),
			await service.givenJob(LONG),
		];
		await givenCredits(99);

		const { items } = await waitForJobs(ids, CONTINUE);

		expect(items.map(({ json }) => json.error ?? json.status)).toEqual([
			MESSAGE,
			'completed',
			`Job ${ids[2]} failed: A captcha`,
			MESSAGE,
		]);
		expect(await service.jobStatuses()).toEqual(['paused', 'completed', 'failed', 'paused']);
	});

	it('says which job could not be paused', async () => {
		await service.admin.nextJob(LONG);
		await service.admin.fault({ endpoint: 'pauseJob', kind: 'status', status: 403 });
		await givenCredits(99);

		const { error } = await run();

		const [jobId] = await service.jobIds();
		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Could not be paused: ${jobId}.`);
	});

	it('does not say of a job that has ended that it could not be paused', async () => {
		const ids = [await service.givenJob(['completed']), await service.givenJob(LONG)];
		const [ended = '', running] = ids;
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503, jobId: ended });
		await givenCredits(99);

		const { error } = await waitForJobs(ids);

		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Paused: ${running}.`);
		expect(error?.description).not.toContain(ended);
	});

	it('ends no download of a job that has finished', async () => {
		await service.admin.nextJob({
			durationSeconds: 110,
			files: [{ filename: 'a.bin', sizeBytes: 1_000 }],
		});
		await service.admin.fault({ endpoint: 'getJobFiles', kind: 'stall', times: 2 });
		await givenCredits(99, { skip: 1 });

		const { items } = await run({ downloadFiles: true });

		expect(await balanceReads()).toHaveLength(2);
		expect(items[0]?.json).toMatchObject({ status: 'completed', files: [{ filename: 'a.bin' }] });
	});

	it('pauses the job of a second attempt, and names both', async () => {
		await service.admin.nextJobs([{ durationSeconds: 30, outcome: 'failed' }, LONG]);
		await givenCredits(99, { skip: 1 });

		const { error } = await run({ maxAttempts: 3 });

		const [first, second] = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['failed', 'paused']);
		expect(error?.description).toContain(`Failed before: ${first}.`);
		expect(error?.description).toContain(`Paused: ${second}.`);
	});
});

describe('Stop Below Credits with Retry On Fail', () => {
	it('leaves the jobs paused in further tries, and starts nothing', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 60 * MINUTE_MS } });
		await service.admin.nextJob(LONG);
		await givenCredits(99, { skip: 1 });

		const { error } = await runTasks(['a', 'b'], {}, { settings: RETRY_ON_FAIL });

		const [job, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(job).toMatchObject({ status: 'paused', pauses: 1, resumes: 0 });
		expect(await service.requests({ endpoint: 'resumeJob' })).toEqual([]);
		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Paused: ${job?.job_id}.`);
	});

	it('names the paused job in the item of a further try with Continue On Fail', async () => {
		await givenCredits(99);

		const { items } = await run({}, { settings: { ...RETRY_ON_FAIL, ...CONTINUE } });

		expect(items[0]?.json).toMatchObject({
			error: MESSAGE,
			details: { job_id: (await service.jobIds())[0], status: 'paused' },
		});
	});

	it('starts nothing in a further try before it knows the balance', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402 });
		await service.admin.nextJob(LONG);
		await givenCredits(99);

		const { items } = await runTasks(
			['rejected', 'paused'],
			{ maxParallelJobs: 1 },
			{ settings: { ...RETRY_ON_FAIL, ...CONTINUE } },
		);

		expect(await service.requests({ endpoint: 'startAgent' })).toHaveLength(2);
		expect(items.map(({ json }) => json.error)).toEqual([MESSAGE, MESSAGE]);
	});

	it('resumes the jobs when there are credits again', async () => {
		await service.admin.nextJob({ durationSeconds: 180 });
		await givenCredits(99, { times: 1 });

		const { items } = await run({}, { settings: RETRY_ON_FAIL });

		const [job, ...others] = await service.admin.jobs();
		expect(others).toEqual([]);
		expect(job).toMatchObject({ status: 'completed', pauses: 1, resumes: 1 });
		expect(items[0]?.json.status).toBe('completed');
	});

	it('leaves the jobs paused while the balance cannot be read', async () => {
		await service.admin.nextJob(LONG);
		await givenCredits(99, { times: 1 });
		await service.admin.fault({
			endpoint: 'getCreditBalance',
			kind: 'status',
			status: 503,
			times: 'always',
		});

		const { error } = await run({}, { settings: RETRY_ON_FAIL });

		const [job] = await service.admin.jobs();
		expect(job).toMatchObject({ status: 'paused', resumes: 0 });
		expect(error?.message).toBe(
			"The account's credits could not be read, so nothing was started or resumed",
		);
		expect(error?.description).toContain(`Paused: ${job?.job_id}.`);
	});

	it('keeps the result of a job that had ended when it was to be paused', async () => {
		const ids = [await service.givenJob(LONG), await service.givenJob(['completed'])];
		await givenCredits(99);

		const { items } = await waitForJobs(ids, { ...RETRY_ON_FAIL, ...CONTINUE });

		expect(items.map(({ json }) => json.error ?? json.status)).toEqual([MESSAGE, 'completed']);
	});

	it('leaves a job that Job: Wait has paused as it is', async () => {
		const jobId = await service.givenJob(LONG);
		await givenCredits(99);

		const { error } = await service.waitForJob(
			jobId,
			{ stopBelowCredits: FLOOR },
			{ settings: RETRY_ON_FAIL },
		);

		expect(error?.message).toBe(MESSAGE);
		expect((await service.admin.job(jobId)).resumes).toBe(0);
	});
});

describe.each<ToolForm>(['called by the agent', 'run by the engine'])(
	'Stop Below Credits of a tool %s',
	(form) => {
		it('tells the model, and starts nothing for the next call', async () => {
			await service.admin.nextJob(LONG);
			await givenCredits(99);

			const { answers } = await runTool({
				form,
				baseUrl: service.url,
				parameters: {
					resource: 'agent',
					operation: 'run',
					directive: "={{ $fromAI('directive', 'What to do', 'string') }}",
					options: { stopBelowCredits: FLOOR },
				},
				calls: [{ directive: 'first' }, { directive: 'second' }] satisfies IDataObject[],
			});

			const [jobId, ...others] = await service.jobIds();
			expect(others).toEqual([]);
			expect(await service.jobStatuses()).toEqual(['paused']);
			expect(answers[0]).toContain(MESSAGE);
			expect(answers[0]).toContain(`Paused: ${jobId}.`);
			expect(answers[1]).toContain(MESSAGE);
		});
	},
);
