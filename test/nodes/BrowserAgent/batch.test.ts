import type { INodeParameters } from 'n8n-workflow';

import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { waitFor } from '../../support/waitFor';
import { toResult } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';
import { setClock, setServiceLimits } from '../../support/testRuntime';

const service = useSandbox();

// Far longer than a test, and shorter than a job's maximum duration.
const LONG_SECONDS = 20 * 60;
const ROOMY = { calls: 10_000, windowMs: 60_000 };

/** Limits that play no part, on both sides. */
async function liftLimits(): Promise<void> {
	setServiceLimits({ ...SERVICE_LIMITS, start: ROOMY, status: ROOMY });
	await service.admin.setLimits({ limits: 'off' });
}

function items(count: number) {
	return Array.from({ length: count }, (_, number) => ({ task: `task ${number}` }));
}

/** Waits until so many jobs have been started and looked at. */
async function allToBeWaitedFor(count: number): Promise<void> {
	await waitFor(async () => {
		const jobs = await service.admin.jobs();
		expect(jobs.filter(({ polls }) => polls > 0).length).toBeGreaterThanOrEqual(count);
	}, 15_000);
}

/** Watches how many listeners signals have; returns the most that one has had at once. */
function countAbortListeners(): () => number {
	const { addEventListener, removeEventListener } = EventTarget.prototype;
	const counts = new Map<EventTarget, number>();
	let most = 0;
	const change = (target: EventTarget, by: number) => {
		const count = (counts.get(target) ?? 0) + by;
		counts.set(target, count);
		most = Math.max(most, count);
	};
	jest.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation(function (
		this: AbortSignal,
		...listener
	) {
		change(this, 1);
		addEventListener.apply(this, listener);
	});
	jest.spyOn(AbortSignal.prototype, 'removeEventListener').mockImplementation(function (
		this: AbortSignal,
		...listener
	) {
		change(this, -1);
		removeEventListener.apply(this, listener);
	});
	return () => most;
}

describe('the items of a batch', () => {
	it('come out in the order in which they came in, whichever job is finished first', async () => {
		await service.admin.nextJobs([
			{ match: 'task 0', durationSeconds: 20, output: 'slow' },
			{ match: 'task 1', durationSeconds: 1, output: 'quick' },
			{ match: 'task 2', durationSeconds: 10, output: 'middling' },
		]);

		const result = await service.runAgent({ directive: '={{ $json.task }}' }, { input: items(3) });

		expect(result.items.map(({ json, pairedItem }) => [json.output, pairedItem])).toEqual([
			['slow', { item: 0 }],
			['quick', { item: 1 }],
			['middling', { item: 2 }],
		]);
	});

	it.each<[string, INodeParameters, number[]]>([
		['10 when Max Parallel Jobs is not set', {}, [10, 14]],
		['as many as Max Parallel Jobs says', { maxParallelJobs: 5 }, [5, 10, 14]],
	])('run at the same time, at most %s', async (_label, options, startedInTurn) => {
		await liftLimits();
		await service.admin.nextJobs(Array(14).fill({ durationSeconds: LONG_SECONDS }));
		const execution = service.startAgent({ options }, { input: items(14) });

		for (const started of startedInTurn) {
			await allToBeWaitedFor(started);
			expect(await service.admin.jobs()).toHaveLength(started);
			await service.admin.advance(LONG_SECONDS);
		}

		const result = await toResult(execution.finished);
		expect(result.items).toHaveLength(14);
	});

	it('are started one after the other when nobody waits for them', async () => {
		const result = await service.runAgent(
			{ directive: '={{ $json.task }}', waitUntilFinished: false },
			{ input: items(4) },
		);

		const jobs = await service.admin.jobs();
		expect(jobs.map(({ directive }) => directive)).toEqual([
			'task 0',
			'task 1',
			'task 2',
			'task 3',
		]);
		expect(result.items.map(({ json }) => json.job_id)).toEqual(jobs.map(({ job_id }) => job_id));
	});

	it("leave no warning of Node.js about listeners in n8n's log, however many there are", async () => {
		await liftLimits();
		const mostListeners = countAbortListeners();

		await service.runAgent({ options: { maxParallelJobs: 20 } }, { input: items(20) });

		expect(mostListeners()).toBeLessThanOrEqual(10);
	});

	it('are waited for together by Job: Wait', async () => {
		const jobIds = [
			await service.givenJob({ durationSeconds: 12, output: 'slow' }),
			await service.givenJob({ durationSeconds: 3, output: 'quick' }),
		];

		const result = await service.run({
			resource: 'job',
			operation: 'wait',
			input: jobIds.map((jobId) => ({ job_id: jobId })),
		});

		const polls = await service.requests({ endpoint: 'getJob' });
		expect(polls.slice(0, 2).map(({ jobId }) => jobId)).toEqual(jobIds);
		expect(result.items.map(({ json }) => json.output)).toEqual(['slow', 'quick']);
	});
});

describe("the account's rate limits", () => {
	it('are kept by a batch that asks for more starts than they allow', async () => {
		const result = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { maxParallelJobs: 25 } },
			{ input: items(25) },
		);

		const { rateLimited, maxInWindow } = await service.admin.counters();
		expect(result.items).toHaveLength(25);
		expect(rateLimited).toBe(0);
		expect(maxInWindow.starts).toBeLessThanOrEqual(10);
		expect(maxInWindow.polls).toBeLessThanOrEqual(60);
	});

	it('are shared by agents and workflows, and by executions at the same time', async () => {
		await Promise.all([
			service.runAgent({ waitUntilFinished: false }, { input: items(7) }),
			service.run({
				resource: 'workflow',
				operation: 'run',
				parameters: { workflowId: 'wf_daily_report', waitUntilFinished: false },
				input: items(7),
			}),
		]);

		const { starts, rateLimited, maxInWindow } = await service.admin.counters();
		expect(starts).toBe(14);
		expect(rateLimited).toBe(0);
		expect(maxInWindow.starts).toBeLessThanOrEqual(10);
	});
});

describe('a batch in which one item fails', () => {
	it('ends with the error of that item, which lists all jobs that were started', async () => {
		await liftLimits();
		await service.admin.nextJobs([
			{ match: 'task 0', statuses: ['running'] },
			{ match: 'task 1', statuses: ['running', 'running', 'failed'], error: 'A captcha' },
			{ match: 'task 2', statuses: ['running'] },
		]);

		const result = await service.runAgent({ directive: '={{ $json.task }}' }, { input: items(3) });

		const jobs = await service.admin.jobs();
		const jobIds = jobs.map(({ job_id }) => job_id);
		const failed = jobs.find(({ directive }) => directive === 'task 1');
		expect(result.items).toEqual([]);
		expect(result.error?.message).toBe(`Job ${failed?.job_id} failed: A captcha`);
		expect(result.error?.context.itemIndex).toBe(1);
		expect([...(result.error?.context.jobIds as string[])].sort()).toEqual([...jobIds].sort());
		for (const jobId of jobIds) expect(result.error?.description).toContain(jobId);
	});

	it('does not wait for the other jobs, and starts no more', async () => {
		await service.admin.nextJobs([
			{ match: 'task 0', statuses: ['failed'] },
			{ match: 'task 1', statuses: ['running'] },
		]);

		const { error } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { maxParallelJobs: 2 } },
			{ input: items(6) },
		);

		expect(error?.context.itemIndex).toBe(0);
		expect(await service.admin.jobs()).toHaveLength(2);
	});

	it('pauses the other jobs when Pause When Abandoned is set', async () => {
		await service.admin.nextJobs([
			{ match: 'task 0', statuses: ['running'] },
			{ match: 'task 1', statuses: ['running', 'failed'] },
			{ match: 'task 2', statuses: ['running'] },
		]);

		await service.runAgent(
			{ directive: '={{ $json.task }}', options: { pauseWhenAbandoned: true } },
			{ input: items(3) },
		);

		await waitFor(async () => {
			const jobs = await service.admin.jobs();
			const statuses = Object.fromEntries(jobs.map(({ directive, status }) => [directive, status]));
			expect(statuses).toEqual({ 'task 0': 'paused', 'task 1': 'failed', 'task 2': 'paused' });
		});
	});

	it('lists the jobs that were started when a later start is refused', async () => {
		await service.admin.fault({ endpoint: 'startAgent', kind: 'status', status: 402, skip: 2 });

		const { error } = await service.runAgent({ waitUntilFinished: false }, { input: items(4) });

		const jobIds = (await service.admin.jobs()).map(({ job_id }) => job_id);
		expect(jobIds).toHaveLength(2);
		expect(error).toMatchObject({
			message: 'The account has too few credits to start a job',
			description: expect.stringContaining(`Jobs started by this node: ${jobIds.join(', ')}.`),
			context: { itemIndex: 2, jobIds },
		});
	});

	it('starts nothing at all when the item has bad input', async () => {
		const { error } = await service.runAgent(
			{ directive: '={{ $json.task }}' },
			{ input: [...items(2), { task: ' ' }, ...items(2)] },
		);

		expect(error).toMatchObject({ message: "'Directive' is empty", context: { itemIndex: 2 } });
		expect(await service.requests()).toEqual([]);
	});
});

describe('the hint that n8n shows after a run', () => {
	it('counts what became of the jobs of a batch', async () => {
		await service.admin.nextJobs([
			{ match: 'task 1', statuses: ['failed'] },
			{ match: 'task', statuses: ['completed'] },
			{ match: 'task', statuses: ['completed'] },
		]);

		const { task } = await service.runAgent(
			{ directive: '={{ $json.task }}', options: { onUnsuccessful: 'return' } },
			{ input: items(3) },
		);

		expect(task?.hints?.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^3 jobs: (2 completed, 1 failed|1 failed, 2 completed)\./),
		]);
	});

	it('tells how long a job had to wait for its start', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 20_000 } });

		const { task } = await service.runAgent({ waitUntilFinished: false }, { input: items(2) });

		expect(task?.hints?.[0]?.message).toMatch(
			/^2 jobs: 2 started\. The account's rate limit delayed starts by up to \d+ s\.$/,
		);
	});

	it('is absent for a single job that went straight through', async () => {
		setClock();

		const { task } = await service.runAgent({ waitUntilFinished: false });

		expect(task?.hints).toEqual([]);
	});
});

describe('a batch without items', () => {
	it('sends nothing', async () => {
		const { status } = await service.runAgent({ options: { minimumCredits: 1 } }, { input: [] });

		expect(status).toBe('success');
		expect(await service.requests()).toEqual([]);
	});
});
