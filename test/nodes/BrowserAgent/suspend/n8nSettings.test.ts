import type { JobScript } from '../../../../dev/sandbox/types';
import { captureLog, metadataOf } from '../../../support/captureLog';
import { holdRequests } from '../../../support/holdRequests';
import { PARENT_ID, SUB_WORKFLOW_ID } from '../../../support/StoringEngine';
import { setClock } from '../../../support/testRuntime';
import { useSandbox } from '../../../support/useSandbox';
import { waitFor } from '../../../support/waitFor';

const service = useSandbox({ limits: 'off' });

const ENDLESS: JobScript = { statuses: ['running'] };
const MINUTE_MS = 60_000;
// From then on, rounds are five minutes apart.
const UNTIL_ROUNDS_ARE_RARE_MS = 45 * MINUTE_MS;

it("'Timeout After' of the workflow ends a suspended wait before n8n would, and the job is paused", async () => {
	await service.admin.nextJob(ENDLESS);

	const { error } = await service.suspendAgent(
		{ pauseJob: 'onEarlyEnd' },
		{},
		{ timeoutSeconds: 300 },
	).finished;

	expect(error?.message).toMatch(/^Job job_\w+ was still running after 4\.5 minutes$/);
	expect(error?.description).toContain("Raise 'Timeout After' in the workflow's settings");
	expect(await service.jobStatuses()).toEqual(['paused']);
});

it("'Timeout After' counts from the beginning of the execution, also for what ran before the node", async () => {
	await service.admin.nextJob(ENDLESS);
	// n8n records by the machine's clock when nodes ran, and the test's clock is ahead of it.
	await service.clock.advance(2 * MINUTE_MS);
	const aheadSeconds = Math.round((service.clock.now() - Date.now()) / 1000);

	const limits = { timeoutSeconds: aheadSeconds + 300 };
	const { error } = await service.suspendAgent({}, {}, limits).finished;

	expect(error?.message).toMatch(/ was still running after 4\.[45]\d? minutes$/);
});

it("'Timeout After' ends no wait earlier if n8n could not suspend the execution", async () => {
	await service.admin.nextJob({ durationSeconds: 280, output: 'a long story' });
	const limits = { timeoutSeconds: 300, refusesSubWorkflows: new Error('Not allowed') };

	const { items } = await service.suspendAgent({}, {}, limits).finished;

	expect(items[0]?.json.output).toBe('a long story');
});

describe('When an inner execution is gone', () => {
	it.each<[string, 'stop' | 'loseWorker' | 'delete']>([
		['it was stopped', 'stop'],
		['n8n lost its worker', 'loseWorker'],
		['it was deleted', 'delete'],
	])('its jobs are paused within two minutes: %s', async (_label, action) => {
		const log = captureLog();
		await service.admin.nextJobs([ENDLESS, ENDLESS]);
		const { engine, finished } = service.suspendAgent({}, { input: [{}, {}] });
		await engine.suspended;

		engine[action](SUB_WORKFLOW_ID);
		await service.clock.advance(2 * MINUTE_MS);

		await finished;
		const jobIds = await service.jobIds();
		expect(await service.jobStatuses()).toEqual(['paused', 'paused']);
		const ofPauses = log.filter((line) =>
			line.includes(`execution ${SUB_WORKFLOW_ID} was stopped`),
		);
		expect(metadataOf(ofPauses)).toEqual(
			jobIds.map((jobId) => expect.objectContaining({ executionId: PARENT_ID, jobId })),
		);
	});

	it('by a Stop during a check, the check pauses the jobs, and the execution is not read again', async () => {
		await service.admin.nextJob(ENDLESS);
		const held = holdRequests('get_job_status');
		const { engine, finished } = service.suspendAgent(
			{},
			{
				onRequest: async (request) =>
					engine.waits.length > 0 ? await held.onRequest(request) : undefined,
			},
		);
		await held.sent();

		engine.stop(SUB_WORKFLOW_ID);
		held.release();
		await finished;
		await waitFor(async () => expect(await service.jobStatuses()).toEqual(['paused']));
		await service.clock.advance(2 * MINUTE_MS);
		engine.executionsRead.length = 0;
		await service.clock.advance(5 * MINUTE_MS);

		expect(engine.executionsRead).toEqual([]);
		expect(await service.sent('pauseJob')).toHaveLength(1);
	});
});

describe('When another process runs the rounds', () => {
	it('nothing is paused or logged because a job has failed', async () => {
		const log = captureLog();
		await service.admin.nextJob({ durationSeconds: 100, outcome: 'failed' });
		const { engine, finished } = service.suspendAgent({});
		await engine.suspended;
		setClock(service.clock);

		await service.clock.advance(5 * MINUTE_MS);
		const { error } = await finished;

		expect(error?.message).toContain('failed');
		expect(await service.sent('pauseJob')).toEqual([]);
		expect(log.join()).not.toContain('was stopped');
	});

	it('a job is paused once after a Stop, by the process of the last round', async () => {
		const log = captureLog();
		await service.admin.nextJob(ENDLESS);
		const { engine, finished } = service.suspendAgent({ maxWaitMinutes: 240 });
		await engine.suspended;
		setClock(service.clock);
		await service.clock.advance(UNTIL_ROUNDS_ARE_RARE_MS);

		engine.stop(SUB_WORKFLOW_ID);
		await service.clock.advance(2 * MINUTE_MS);

		await finished;
		expect(log.join().split('was stopped')).toHaveLength(2);
		expect(await service.sent('pauseJob')).toHaveLength(1);
	});
});

describe('The data of an inner execution', () => {
	const reads = (executionsRead: string[]) =>
		executionsRead.filter((id) => id === SUB_WORKFLOW_ID).length;

	it('is not read while its rounds run in this process, one after another, nor after the last one', async () => {
		await service.admin.nextJob({ durationSeconds: 600 });

		const { engine, finished } = service.suspendAgent();

		await finished;
		await service.clock.advance(2 * MINUTE_MS);
		expect(engine.waits.length).toBeGreaterThan(4);
		expect(reads(engine.executionsRead)).toBe(0);
	});

	it('is read often enough to notice a Stop within two minutes when rounds are rare', async () => {
		await service.admin.nextJob(ENDLESS);
		const { engine, finished } = service.suspendAgent({ maxWaitMinutes: 240 });
		await engine.suspended;
		await service.clock.advance(UNTIL_ROUNDS_ARE_RARE_MS);
		engine.executionsRead.length = 0;
		const waitsBefore = engine.waits.length;

		await service.clock.advance(60 * MINUTE_MS);

		const rounds = engine.waits.length - waitsBefore;
		expect(reads(engine.executionsRead)).toBeGreaterThanOrEqual(2 * rounds - 1);
		expect(reads(engine.executionsRead)).toBeLessThanOrEqual(3 * rounds);
		engine.stop();
		await finished;
	});

	it("is read again after n8n's database did not answer", async () => {
		await service.admin.nextJob(ENDLESS);
		const { engine, finished } = service.suspendAgent({ maxWaitMinutes: 240 });
		await engine.suspended;
		await service.clock.advance(UNTIL_ROUNDS_ARE_RARE_MS);
		engine.limits.isDatabaseDown = true;
		await service.clock.advance(2 * MINUTE_MS);
		engine.limits.isDatabaseDown = false;

		engine.stop(SUB_WORKFLOW_ID);
		await service.clock.advance(2 * MINUTE_MS);

		await finished;
		expect(await service.jobStatuses()).toEqual(['paused']);
	});
});

describe('Without a usable credential', () => {
	it('each item gets its own result or error in the end', async () => {
		await service.admin.nextJobs([{ durationSeconds: 5, output: 'short' }, ENDLESS, ENDLESS]);
		const { engine, finished } = service.suspendAgent(
			{ maxWaitMinutes: '={{ $json.minutes }}' },
			{
				input: [{ minutes: 3 }, { minutes: 3 }, { minutes: 6 }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		await engine.suspended;
		engine.deleteCredential();

		const { items } = await finished;

		const [, second, third] = await service.jobIds();
		const error = expect.stringMatching(
			/could not be checked at the end of \d minutes: .*The engine has no credential browserAgentApi$/,
		) as string;
		expect(items.map(({ json }) => json)).toMatchObject([
			{ status: 'completed', output: 'short' },
			{ error, details: { job_id: second, status: 'running' } },
			{ error, details: { job_id: third, status: 'running' } },
		]);
	});

	it.each<[string, string]>([
		['suspended', PARENT_ID],
		['inner', SUB_WORKFLOW_ID],
	])('a Stop of the %s execution pauses the job as soon as it is back', async (_label, id) => {
		await service.admin.nextJob(ENDLESS);
		const { engine, finished } = service.suspendAgent({ maxWaitMinutes: 240 });
		await engine.suspended;
		const restoreCredential = engine.deleteCredential();
		await service.clock.advance(5 * MINUTE_MS);

		engine.stop(id);
		await service.clock.advance(2.5 * MINUTE_MS);
		const whileGone = await service.jobStatuses();
		restoreCredential();
		await service.clock.advance(MINUTE_MS);

		await finished;
		expect(whileGone).toEqual(['running']);
		expect(await service.jobStatuses()).toEqual(['paused']);
	});

	it('a round changes nothing, and the wait continues when it is back', async () => {
		await service.admin.nextJob({ durationSeconds: 300, output: 'a long story' });
		const { engine, finished } = service.suspendAgent();
		await engine.suspended;
		const restoreCredential = engine.deleteCredential();
		await service.clock.advance(3 * MINUTE_MS);
		restoreCredential();

		const { items } = await finished;

		expect(items[0]?.json.output).toBe('a long story');
	});
});
