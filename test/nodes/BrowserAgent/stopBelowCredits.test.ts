import type { INode, INodeParameters } from 'n8n-workflow';

import type { JobScript } from '../../../dev/sandbox/types';
import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { captureLog } from '../../support/captureLog';
import { holdRequests } from '../../support/holdRequests';
import { CONTINUE, RETRY_AND_CONTINUE, RETRY_ON_FAIL, toResult } from '../../support/runNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const MINUTE_MS = 60_000;
const MESSAGE =
	"The account has 99 credits, fewer than 'Stop Below Credits' (100), so running jobs are paused and no more are started";
const LONG = { durationSeconds: 900 };
const ONE_START_AN_HOUR = { ...SERVICE_LIMITS, start: { calls: 1, windowMs: 60 * MINUTE_MS } };

/** After so many other answers, the balance has 99 credits. */
async function givenTooFewCredits(more: Pick<FaultCase, 'skip' | 'times'> = {}): Promise<void> {
	const body = { plan: 'pro', unlimited: false, credit_balance: 99 };
	await service.fault('getCreditBalance', { kind: 'body', body, times: 'always', ...more });
}

const stopBelow = (options: INodeParameters = {}) => ({ stopBelowCredits: 100, ...options });

async function run(options: INodeParameters = {}, settings: Partial<INode> = {}) {
	return await service.runAgent({ options: stopBelow(options) }, { settings });
}

async function runTasks(
	tasks: string[],
	options: INodeParameters = {},
	more: Partial<SandboxRun> = {},
) {
	return await service.runTasks(tasks, { options: stopBelow(options) }, more);
}

/** The times between reads of the balance, in ms. */
async function gapsBetweenReads(): Promise<number[]> {
	const times = (await service.sent('getCreditBalance')).map(({ sandboxMs }) => sandboxMs);
	return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

describe('Stop Below Credits', () => {
	it('pauses the job when the credits have fallen below it, whatever On Stop says', async () => {
		await service.admin.nextJob(LONG);
		await givenTooFewCredits({ skip: 2 });

		const { error } = await run({ onStop: 'leave' });

		const { job_id, status } = await service.onlyJob();
		const reads = await service.sent('getCreditBalance');
		const polls = await service.sent('getJob');
		expect(status).toBe('paused');
		expect(reads).toHaveLength(3);
		expect(polls.at(-1)?.sandboxMs).toBeLessThanOrEqual((reads.at(-1)?.sandboxMs ?? 0) + 1_000);
		expect(error).toMatchObject({
			message: MESSAGE,
			description: expect.stringMatching(
				new RegExp(`^Add credits .* Jobs started by this node: ${job_id}\\. Paused: ${job_id}\\.$`),
			),
			context: { itemIndex: 0, jobIds: [job_id] },
		});
	});

	it.each([
		['begins with the wait, so that a job is paused at once', { credit_balance: 99 }, 'paused'],
		['lets a job continue with just as many credits', { credit_balance: 100 }, 'completed'],
		['lets unlimited accounts pass', { unlimited: true, credit_balance: null }, 'completed'],
	])('%s', async (_label, body, status) => {
		await service.fault('getCreditBalance', { kind: 'body', body, times: 'always' });

		await run();

		expect(await service.jobStatuses()).toEqual([status]);
	});

	it('reads the balance every two minutes, once for all jobs of an account', async () => {
		await service.admin.nextJobs([LONG, LONG, LONG]);

		await runTasks(['a', 'b', 'c'], { pollIntervalSeconds: 30 });

		const gaps = await gapsBetweenReads();
		expect(gaps).toHaveLength(7);
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2 * MINUTE_MS);
		expect(Math.max(...gaps)).toBeLessThan(2.1 * MINUTE_MS);
	});

	it.each<[string, INodeParameters]>([
		['when it is not set', {}],
		['when the node does not wait', { waitUntilFinished: false, options: stopBelow() }],
	])('reads no balance %s', async (_label, parameters) => {
		await service.runAgent(parameters);

		expect(await service.sent('getCreditBalance')).toEqual([]);
	});

	it.each<[string, FaultCase, boolean]>([
		['the service fails', { kind: 'status', status: 503 }, true],
		['it is not a number', { kind: 'body', body: { credit_balance: 'few' } }, false],
	])('waits for the next read of a balance when %s', async (_label, fault, isLogged) => {
		const log = captureLog();
		await service.admin.nextJob(LONG);
		await service.fault('getCreditBalance', fault, { times: 2 });
		await givenTooFewCredits();

		const { error } = await run();

		expect(await service.sent('getCreditBalance')).toHaveLength(3);
		expect(error?.message).toBe(MESSAGE);
		expect(log.some((line) => line.includes('could not read'))).toBe(isLogged);
	});

	it('sends no start that waits for its turn', async () => {
		setServiceLimits(ONE_START_AN_HOUR);
		await service.admin.nextJob(LONG);
		await givenTooFewCredits({ skip: 1 });

		const { json } = await runTasks(
			['a', 'b', 'c'],
			{ maxParallelJobs: 2 },
			{ settings: CONTINUE },
		);

		const { job_id } = await service.onlyJob();
		expect(await service.sent('startAgent')).toHaveLength(1);
		expect(json).toEqual([
			{ error: MESSAGE, details: expect.objectContaining({ job_id, status: 'paused' }) },
			{ error: MESSAGE },
			{ error: MESSAGE },
		]);
	});

	it.each([
		['', {}],
		[' and Continue On Fail', CONTINUE],
	])('pauses a job whose start was on its way%s', async (_label, settings) => {
		await service.admin.nextJobs([LONG, LONG]);
		await givenTooFewCredits();
		const { onRequest, sent, release } = holdRequests('second');
		clock.hold();
		const execution = service.startAgent(
			{ directive: '={{ $json.task }}', options: stopBelow() },
			{ input: [{ task: 'first' }, { task: 'second' }], onRequest, settings },
		);
		await sent();
		await clock.advance(2_000);
		expect(await service.jobStatuses()).toEqual(['paused']);

		release();
		await clock.advance(10_000);

		const { error, json } = await toResult(execution.finished);
		const [, second] = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['paused', 'paused']);
		expect(error?.description ?? JSON.stringify(json[1])).toContain(second);
	});

	it('takes the highest of different values', async () => {
		await givenTooFewCredits();

		const { error } = await service.runAgent(
			{ options: { stopBelowCredits: '={{ $json.credits }}' } },
			{ input: [{ credits: 10 }, { credits: 100 }] },
		);

		expect(error?.message).toBe(MESSAGE);
	});

	it('stops one account only, when the items have several', async () => {
		await service.admin.setCredits('sandbox-pro-key', 99);

		const { json } = await runTasks(
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

		expect(json.map(({ error, status }) => error ?? status)).toEqual([MESSAGE, 'completed']);
		expect(await service.sent('pauseJob')).toHaveLength(1);
	});

	it('pauses also a job whose own wait was over before, with Continue On Fail', async () => {
		await service.admin.nextJobs([LONG, LONG]);
		await givenTooFewCredits({ skip: 1 });

		const { json } = await service.runAgent(
			{ options: stopBelow({ maxWaitMinutes: '={{ $json.minutes }}' }) },
			{ input: [{ minutes: 0.5 }, { minutes: 30 }], settings: CONTINUE },
		);

		expect(json.map(({ error }) => error)).toEqual([
			expect.stringContaining('was still running after 0.5 minutes'),
			MESSAGE,
		]);
		expect(await service.jobStatuses()).toEqual(['paused', 'paused']);
	});

	it.each([
		['pauses the job that Job: Wait waits for', 'running', 1],
		['sends nothing for a job that is paused already', 'paused', 0],
	])('%s', async (_label, status, pauses) => {
		const jobId = await service.givenJob([status]);
		await givenTooFewCredits({ skip: 1 });

		const { error } = await service.waitForJob(jobId, stopBelow());

		expect(error?.message).toBe(MESSAGE);
		expect(error?.description?.includes(`Paused: ${jobId}.`)).toBe(status === 'running');
		expect(await service.sent('pauseJob')).toHaveLength(pauses);
	});

	it('returns the jobs of a batch that have finished', async () => {
		const failed = { statuses: ['failed'], error: 'A captcha' };
		const ids = await service.givenJobs(LONG, ['completed'], failed, LONG);
		await givenTooFewCredits();

		const { json } = await service.waitForJobs(ids, stopBelow({ maxParallelJobs: 1 }), {
			settings: CONTINUE,
		});

		expect(json.map(({ error, status }) => error ?? status)).toEqual([
			MESSAGE,
			'completed',
			`Job ${ids[2]} failed: A captcha`,
			MESSAGE,
		]);
		expect(await service.jobStatuses()).toEqual(['paused', 'completed', 'failed', 'paused']);
	});

	it('says which job could not be paused', async () => {
		await service.admin.nextJob(LONG);
		await service.fault('pauseJob', 403);
		await givenTooFewCredits();

		const { error } = await run();

		const { job_id } = await service.onlyJob();
		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Could not be paused: ${job_id}.`);
	});

	it('does not say of a job that has ended that it could not be paused', async () => {
		const [ended = '', running = ''] = await service.givenJobs(['completed'], LONG);
		await service.fault('getJob', 503, { jobId: ended });
		await givenTooFewCredits();

		const { error } = await service.waitForJobs(
			[ended, running],
			stopBelow({ maxParallelJobs: 1 }),
		);

		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Paused: ${running}.`);
		expect(error?.description).not.toContain(ended);
	});

	it('ends no download of a job that has finished', async () => {
		const files = [{ filename: 'a.bin', sizeBytes: 1_000 }];
		await service.admin.nextJob({ durationSeconds: 110, files });
		await service.fault('getJobFiles', { kind: 'stall', times: 2 });
		await givenTooFewCredits({ skip: 1 });

		const { json } = await run({ downloadFiles: true });

		expect(await service.sent('getCreditBalance')).toHaveLength(2);
		expect(json[0]).toMatchObject({ status: 'completed', files: [{ filename: 'a.bin' }] });
	});
});

describe('Stop Below Credits with Retry On Fail', () => {
	it('leaves the jobs paused in further tries, and starts nothing', async () => {
		setServiceLimits(ONE_START_AN_HOUR);
		await service.admin.nextJob(LONG);
		await givenTooFewCredits({ skip: 1 });

		const { error } = await runTasks(['a', 'b'], {}, { settings: RETRY_ON_FAIL });

		const job = await service.onlyJob();
		expect(job).toMatchObject({ status: 'paused', pauses: 1, resumes: 0 });
		expect(await service.sent('resumeJob')).toEqual([]);
		expect(error?.message).toBe(MESSAGE);
		expect(error?.description).toContain(`Paused: ${job.job_id}.`);
	});

	it('resumes the jobs when there are credits again', async () => {
		await service.admin.nextJob({ durationSeconds: 180 });
		await givenTooFewCredits({ times: 1 });

		const { json } = await run({}, { ...RETRY_ON_FAIL, maxTries: 2 });

		expect(await service.onlyJob()).toMatchObject({ pauses: 1, resumes: 1 });
		expect(json[0]?.status).toBe('completed');
	});

	it('leaves the jobs paused while the balance cannot be read', async () => {
		await service.admin.nextJob(LONG);
		await givenTooFewCredits({ times: 1 });
		await service.fault('getCreditBalance', 503, { times: 'always' });

		const { error } = await run({}, RETRY_ON_FAIL);

		const { job_id, status, resumes } = await service.onlyJob();
		expect([status, resumes]).toEqual(['paused', 0]);
		expect(error).toMatchObject({
			message: "The account's credits could not be read, so nothing was started or resumed",
			description: expect.stringContaining(`Paused: ${job_id}.`),
		});
	});
});

describe('Stop Below Credits with Suspend While Waiting', () => {
	const ENDLESS = ['running'];

	/** Agent: Run once for each script, suspended while it waits. */
	async function suspend(...scripts: Array<JobScript | string[]>) {
		await service.admin.nextJobs(scripts);
		const input = scripts.map(() => ({}));
		const more = { input, settings: RETRY_AND_CONTINUE };
		return service.suspendAgent(stopBelow({ maxWaitMinutes: 30 }), more);
	}

	it('pauses the jobs at a status check, names them, and returns what has finished', async () => {
		const { engine, finished } = await suspend({ durationSeconds: 5 }, ENDLESS, ENDLESS);
		await engine.suspended;
		await service.admin.setCredits('sandbox-pro-key', 99);

		const { json } = await finished;

		const [, second, third] = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['completed', 'paused', 'paused']);
		expect(engine.subWorkflows).toBe(1);
		expect(json).toMatchObject([
			{ status: 'completed' },
			{ error: MESSAGE, details: { job_id: second, status: 'paused' } },
			{ error: MESSAGE, details: { job_id: third, status: 'paused' } },
		]);
	});

	it('reads the balance every two minutes at most, and tolerates errors', async () => {
		await service.fault('getCreditBalance', { kind: 'reset', skip: 1 });

		const { finished } = await suspend({ durationSeconds: 480 });

		const { json } = await finished;
		const gaps = await gapsBetweenReads();
		expect(json[0]?.status).toBe('completed');
		expect(gaps.length).toBeGreaterThanOrEqual(2);
		// The clocks of node and sandbox are not quite the same.
		expect(Math.min(...gaps)).toBeGreaterThan(115_000);
	});
});
