import { createPollHost, eventsOf, type PollHost } from '../../support/pollNode';
import { useSandbox, type FaultCase } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';

// What n8n's durable engine gives a poll.
const BUDGET_MS = 36_000;
const UNANSWERED: FaultCase = { kind: 'hang' };

const service = useSandbox();
const lists = useServer();
const { clock } = service;

function after(delaySeconds: number): FaultCase {
	return { kind: 'delay', delaySeconds };
}

/** From now on, the status of these jobs is answered like this. */
async function answerJobs(jobIds: string[], answer: FaultCase): Promise<void> {
	for (const jobId of jobIds) await service.fault('getJob', answer, { jobId, times: 'always' });
}

/**
 * A trigger that was published while its list was empty, on n8n's durable engine. Later, the list
 * has these jobs and responds after `listSeconds`; Infinity: it does not respond.
 */
async function publishWith(jobIds: string[], listSeconds = 0): Promise<PollHost> {
	lists.answers({ body: [] });
	const host = createPollHost(
		service,
		{ jobSource: 'url', jobListUrl: `${lists.url}/open-jobs` },
		{ engine: 'durable' },
	);
	await host.publish();
	lists.answers((_arrival, response) => {
		if (listSeconds === Infinity) return;
		void clock.sleep(listSeconds * 1_000).then(() => response.end(JSON.stringify(jobIds)));
	});
	return host;
}

/** One poll; returns how long it took. */
async function timedTick(host: PollHost): Promise<number> {
	const began = clock.now();
	await host.tick();
	return clock.now() - began;
}

function emittedIds({ executions }: PollHost): unknown[] {
	return eventsOf(executions.flat()).map(([jobId]) => jobId);
}

describe('BrowserAgentTrigger with a slow service', () => {
	it.each<[number, number, number, number]>([
		[1, 19, 9, 1],
		[12, 9, 20, 3],
		[23, 0, 25, 5],
	])(
		'emits each job once within the budget: %i jobs, list after %i s, status after %i s, %i polls',
		async (count, listSeconds, statusSeconds, polls) => {
			const jobIds = await service.givenManyJobs(count, ['completed']);
			await answerJobs(jobIds, after(statusSeconds));
			const host = await publishWith(jobIds, listSeconds);

			const tookMs: number[] = [];
			for (let poll = 0; poll <= polls; poll++) tookMs.push(await timedTick(host));

			expect(emittedIds(host).sort()).toEqual(jobIds.sort());
			expect(Math.max(...tookMs)).toBeLessThanOrEqual(BUDGET_MS);
			expect(host.failures).toEqual([]);
		},
	);

	it('begins with the jobs whose polls were cut short by the budget of the last poll', async () => {
		const first = await service.givenJobs(...Array<string[]>(5).fill(['running']));
		const last = await service.givenJobs(...Array<string[]>(5).fill(['completed']));
		await answerJobs(first, after(9));
		await answerJobs(last, after(25));
		const host = await publishWith([...first, ...last]);

		await host.tick();
		await host.tick();

		expect(emittedIds(host)).toEqual(last);
	});

	it.each<[string, number, FaultCase, number]>([
		['the list', Infinity, after(0), 20_000],
		['a job', 0, UNANSWERED, 30_000],
		['a job after a slow list', 19, UNANSWERED, 0.8 * BUDGET_MS + 3_000],
	])(
		'fails within the budget when %s is not answered',
		async (_label, listSeconds, answer, expectedMs) => {
			const jobId = await service.givenJob(['completed']);
			await answerJobs([jobId], answer);
			const host = await publishWith([jobId], listSeconds);

			const tookMs = await timedTick(host);

			expect(tookMs).toBe(expectedMs);
			expect(host.failures).toMatchObject([{ failure: { cause: 'temporarily-unavailable' } }]);
		},
	);

	it('fails a poll when the status of more jobs than are checked at a time is not answered', async () => {
		const jobIds = await service.givenManyJobs(12, ['running']);
		const host = createPollHost(service, { jobIds: jobIds.join() });
		await host.publish();
		await answerJobs(jobIds, UNANSWERED);

		const tookMs = await timedTick(host);

		expect(tookMs).toBe(3 * 30_000);
		expect(host.failures).toMatchObject([{ failure: { cause: 'temporarily-unavailable' } }]);
	});

	it('takes up to five minutes for a poll when an older version of n8n names no budget', async () => {
		const jobIds = await service.givenManyJobs(61, ['completed']);
		await answerJobs(jobIds, after(20));
		const setup = { pollBudgetMs: 'unknown' } as const;
		const host = createPollHost(service, { jobIds: jobIds.join() }, setup);
		const began = clock.now();

		const emitted = await host.publish();

		expect(emitted).toHaveLength(60);
		expect(clock.now() - began).toBe(0.8 * 5 * 60_000);
	});
});
