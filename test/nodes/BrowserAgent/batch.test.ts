import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { holdRequests } from '../../support/holdRequests';
import { CONTINUE, toResult } from '../../support/runNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();
const { clock } = service;

const MINUTE_MS = 60_000;
const UNLIMITED = { calls: 10_000, windowMs: MINUTE_MS };
const WITHOUT_WAITING = { waitUntilFinished: false };

async function liftLimits(): Promise<void> {
	setServiceLimits({ start: UNLIMITED, status: UNLIMITED, balance: UNLIMITED });
	await service.admin.setLimits('off');
}

/** Agent: Run with `count` items, whose directives are 'task 0', 'task 1', … */
async function runTasks(count: number, parameters: INodeParameters = {}) {
	return await service.runTasks(
		Array.from({ length: count }, (_, number) => `task ${number}`),
		parameters,
	);
}

async function directives() {
	return (await service.admin.jobs()).map(({ directive }) => directive);
}

describe('A batch', () => {
	it('returns its items in the order of the input', async () => {
		await service.admin.nextJobs([
			{ match: 'task 0', durationSeconds: 20, output: 'slow' },
			{ match: 'task 1', durationSeconds: 1, output: 'quick' },
			{ match: 'task 2', durationSeconds: 10, output: 'medium' },
		]);

		const { items } = await runTasks(3);

		expect(items.map(({ json, pairedItem }) => [json.output, pairedItem])).toEqual([
			['slow', { item: 0 }],
			['quick', { item: 1 }],
			['medium', { item: 2 }],
		]);
	});

	it.each<[string, INodeParameters, number, number[]]>([
		['10 jobs at a time when Max Parallel Jobs is not set', {}, 11, [10, 11]],
		['2 jobs at a time when Max Parallel Jobs is 2', { maxParallelJobs: 2 }, 5, [2, 4, 5]],
	])('runs %s', async (_label, options, count, startedByMinute) => {
		await liftLimits();
		clock.hold();
		await service.admin.nextJobs(Array(count).fill({ durationSeconds: 60 }));
		const execution = service.startAgent(
			{ options },
			{ input: Array.from({ length: count }, () => ({})) },
		);

		await clock.advance(MINUTE_MS / 2);
		for (const started of startedByMinute) {
			expect(await service.admin.jobs()).toHaveLength(started);
			await clock.advance(MINUTE_MS);
		}

		const { items } = await toResult(execution.finished);
		expect(items).toHaveLength(count);
	});

	it('starts its jobs one after another when Wait Until Finished is off', async () => {
		const { json } = await runTasks(4, WITHOUT_WAITING);

		expect(await directives()).toEqual(['task 0', 'task 1', 'task 2', 'task 3']);
		expect(json.map(({ job_id }) => job_id)).toEqual(await service.jobIds());
	});

	it('runs the items that wait at the same time, beside one that does not wait', async () => {
		const input = [false, true, true, true, true, true].map((waits) => ({ waits }));
		await service.admin.nextJobs(input.map(() => ({ durationSeconds: 60 })));
		const began = clock.now();

		const { items } = await service.runAgent(
			{ waitUntilFinished: '={{ $json.waits }}' },
			{ input },
		);

		expect(items.map(({ json }) => json.output !== undefined)).toEqual(
			input.map(({ waits }) => waits),
		);
		expect(clock.now() - began).toBeLessThan(2 * MINUTE_MS);
	});

	it('causes no leak warning with 22 jobs at a time', async () => {
		// Node.js warns when a signal has more than ten listeners.
		const warnings: Error[] = [];
		const onWarning = (warning: Error) => void warnings.push(warning);
		process.on('warning', onWarning);

		await runTasks(22, { options: { maxParallelJobs: 22 } });

		process.off('warning', onWarning);
		expect(warnings).toEqual([]);
	});

	it('without items sends nothing', async () => {
		const { status } = await service.runAgent({ options: { minimumCredits: 1 } }, { input: [] });

		expect(status).toBe('success');
		expect(await service.requests()).toEqual([]);
	});
});

describe("The account's rate limits", () => {
	it('are shared by agents and workflows of two executions', async () => {
		const input = Array.from({ length: 7 }, () => ({}));

		await Promise.all([
			service.runAgent(WITHOUT_WAITING, { input }),
			service.runWorkflow(WITHOUT_WAITING, { input }),
		]);

		const { starts, rateLimited, maxInWindow } = await service.admin.counters();
		expect([starts, rateLimited]).toEqual([14, 0]);
		expect(maxInWindow.starts).toBeLessThanOrEqual(10);
	});

	it('are waited for without counting towards Max Wait (Minutes)', async () => {
		const twoHours = { calls: 1, windowMs: 120 * MINUTE_MS };
		setServiceLimits({ ...SERVICE_LIMITS, start: twoHours });
		const began = clock.now();

		const { json } = await runTasks(3, { options: { maxWaitMinutes: 5 } });

		expect(json.map(({ status }) => status)).toEqual(Array(3).fill('completed'));
		expect(clock.now() - began).toBeGreaterThan(240 * MINUTE_MS);
	});
});

describe('A batch in which one item fails', () => {
	it('ends with the error of that item, which lists all started jobs', async () => {
		await service.admin.nextJobs([
			{ match: 'task 0', statuses: ['running'] },
			{ match: 'task 1', statuses: ['running', 'running', 'failed'], error: 'A captcha' },
			{ match: 'task 2', statuses: ['running'] },
		]);

		const { items, error } = await runTasks(3);

		const jobs = await service.admin.jobs();
		const jobIds = jobs.map(({ job_id }) => job_id);
		const failed = jobs.find(({ directive }) => directive === 'task 1');
		expect(items).toEqual([]);
		expect(error?.message).toBe(`Job ${failed?.job_id} failed: A captcha`);
		expect(error?.context.itemIndex).toBe(1);
		const named = error?.context.jobIds as string[] | undefined;
		expect(named?.toSorted()).toEqual(jobIds.toSorted());
		for (const jobId of jobIds) expect(error?.description).toContain(jobId);
	});

	it('does not wait for the other jobs and starts no more', async () => {
		await service.admin.nextJobs([
			{ match: 'task 0', statuses: ['failed'] },
			{ match: 'task 1', statuses: ['running'] },
		]);

		const { error } = await runTasks(6, { options: { maxParallelJobs: 2 } });

		expect(error?.context.itemIndex).toBe(0);
		expect(clock.sleepers).toBe(0);
		expect(await service.admin.jobs()).toHaveLength(2);
	});

	it('pauses all jobs with Pause Job, also those not waited for yet', async () => {
		const jobIds = await service.givenJobs(['running'], ['failed'], ['running'], ['running']);

		const { error } = await service.waitForJobs(jobIds, {
			pauseJob: 'onEarlyEnd',
			maxParallelJobs: 2,
		});

		expect(await service.jobStatuses()).toEqual(['paused', 'failed', 'paused', 'paused']);
		for (const jobId of jobIds) expect(`${error?.message} ${error?.description}`).toContain(jobId);
	});

	it('says how to get the other results, and where it is described', async () => {
		await service.admin.nextJob({ match: 'task 1', outcome: 'failed', durationSeconds: 1 });

		const { error } = await runTasks(2);

		expect(error?.description).toMatch(
			/choose 'Job Fails or Is Canceled' in the option 'Return Instead of Failing'\. .*Get the other results with Job: Wait; running the workflow again starts all jobs again\. History: <a .*How to continue: <a href="\S+#how-to-continue"/,
		);
	});
});

describe('A batch that fails while starts are not answered', () => {
	/** A batch whose first start was rejected, and whose others are on their way. */
	async function startFailing(...others: string[]) {
		clock.hold();
		await service.fault('startAgent', 422, { body: { detail: 'No' } });
		const { onRequest, sent, release } = holdRequests('late');
		const execution = service.startAgent(
			{ directive: '={{ $json.task }}' },
			{ input: ['rejected', ...others].map((task) => ({ task })), onRequest },
		);
		await sent();
		await waitFor(async () => expect(await service.sent('startAgent')).toHaveLength(1));
		return { result: toResult(execution.finished), release };
	}

	it('names a job whose start is answered after the failure', async () => {
		const { result, release } = await startFailing('late');

		release();

		const { error } = await result;
		const { job_id } = await service.onlyJob();
		expect(error).toMatchObject({
			message: 'The service did not accept the request (HTTP 422)',
			description: expect.stringContaining(`Jobs started by this node: ${job_id}.`),
			context: { itemIndex: 0, jobIds: [job_id] },
		});
	});

	it('says after 5 s how many starts are not answered', async () => {
		const { result, release } = await startFailing('late', 'late');

		await clock.advance(5_000);

		const { error } = await result;
		expect(error?.description).toContain('has not yet responded to 2 requests to start a job;');
		release();
		await waitFor(async () => expect(await service.jobIds()).toHaveLength(2));
	});
});

it('Connecting many items gives the event loop back every 100 items', async () => {
	let turn = 0;
	const counting = setInterval(() => turn++, 0);
	const turns: number[] = [];
	const getCredentials = jest.spyOn(ExecuteContext.prototype, 'getCredentials');
	getCredentials.mockImplementation(async () => {
		turns.push(turn);
		// This address is refused, so that nothing is sent.
		return await Promise.resolve({ baseUrl: 'http://api.example.com', apiKey: 'key-1' });
	});

	await service.run({
		...{ resource: 'service', operation: 'getHealth' },
		input: Array<IDataObject>(350).fill({}),
		settings: CONTINUE,
	});

	clearInterval(counting);
	expect(turns).toHaveLength(350);
	expect(new Set(turns).size).toBe(4);
});
