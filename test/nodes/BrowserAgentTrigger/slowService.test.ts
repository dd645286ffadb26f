import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { testClock } from '../../support/testClock';
import { createPollHost, eventsOf, type PollHost } from '../../support/pollNode';
import { jobIdsUpTo, showsJob, stubJobs, type StubResponse } from '../../support/stubNetwork';
import { setClock } from '../../support/testRuntime';

const SERVICE = { url: 'https://api.example.com' };
const LIST_PATH = '/open-jobs';
// What n8n's durable engine gives a poll.
const BUDGET_MS = 36_000;
/** In seconds. */
const NEVER = 24 * 60 * 60;

let clock: SimulatedClock;

beforeEach(() => setClock((clock = testClock())));
afterAll(() => setClock());

interface SlowService {
	/** The responses to polls, by job ID. */
	jobs: Record<string, StubResponse>;
	/** After how long the list responds. Default 0. */
	listSeconds?: number;
}

/** A trigger that was published while its list was empty, on n8n's durable engine. */
async function publishWith(service: SlowService): Promise<PollHost> {
	const { jobs, listSeconds = 0 } = service;
	const byPath: Record<string, StubResponse> = { [LIST_PATH]: { body: [] } };
	const { respond } = Object.assign(stubJobs({}), { responses: jobs });
	const host = createPollHost(
		SERVICE,
		{ jobSource: 'url', jobListUrl: `https://lists.example.com${LIST_PATH}` },
		{ engine: 'durable', respond: (path) => byPath[path] ?? respond(path) },
	);
	await host.publish();
	byPath[LIST_PATH] = { body: Object.keys(jobs), afterMs: listSeconds * 1_000 };
	return host;
}

function jobsWith(jobIds: string[], response: StubResponse): Record<string, StubResponse> {
	return Object.fromEntries(jobIds.map((jobId) => [jobId, response]));
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
		[1, 0, 9, 1],
		[1, 0, 25, 1],
		[1, 19, 9, 1],
		[10, 0, 9, 1],
		[10, 0, 25, 2],
		[12, 9, 9, 2],
		[12, 9, 20, 3],
		[23, 0, 25, 5],
	])(
		'emits %i jobs once, within the budget: list after %i s, status after %i s, %i polls',
		async (count, listSeconds, statusSeconds, polls) => {
			const jobIds = jobIdsUpTo(count);
			const jobs = jobsWith(jobIds, showsJob('completed', statusSeconds));
			const host = await publishWith({ jobs, listSeconds });

			const tookMs: number[] = [];
			for (let poll = 0; poll <= polls; poll++) tookMs.push(await timedTick(host));

			expect(emittedIds(host).sort()).toEqual(jobIds.sort());
			expect(Math.max(...tookMs)).toBeLessThanOrEqual(BUDGET_MS);
			expect(host.failures).toEqual([]);
		},
	);

	it('begins with the jobs whose polls were cut short by the budget of the last poll', async () => {
		const jobIds = jobIdsUpTo(10);
		const host = await publishWith({
			jobs: {
				...jobsWith(jobIds.slice(0, 5), showsJob('running', 9)),
				...jobsWith(jobIds.slice(5), showsJob('completed', 25)),
			},
		});

		await host.tick();
		await host.tick();

		expect(emittedIds(host)).toEqual(jobIds.slice(5));
	});

	it('reaches all jobs although the first ones are never answered', async () => {
		const jobIds = jobIdsUpTo(12);
		const host = await publishWith({
			jobs: {
				...jobsWith(jobIds.slice(0, 5), showsJob('completed', NEVER)),
				...jobsWith(jobIds.slice(5), showsJob('completed', 9)),
			},
		});

		await host.tick();
		await host.tick();

		expect(emittedIds(host)).toEqual(jobIds.slice(5));
	});

	it.each<[string, number, number, number]>([
		['the list', NEVER, 0, 20_000],
		['a job', 0, NEVER, 30_000],
		['a job after a slow list', 19, NEVER, 0.8 * BUDGET_MS + 3_000],
	])('fails within the budget when %s is not answered', async (_label, listSeconds, ...times) => {
		const [statusSeconds, expectedMs] = times;
		const jobs = { job_1: showsJob('completed', statusSeconds) };
		const host = await publishWith({ jobs, listSeconds });

		const tookMs = await timedTick(host);

		expect(tookMs).toBe(expectedMs);
		expect(host.failures).toMatchObject([{ failure: { cause: 'temporarily-unavailable' } }]);
	});

	it('takes five minutes when an older version of n8n names no budget', async () => {
		const jobIds = jobIdsUpTo(61).join();
		const { respond } = stubJobs(showsJob('completed', 20));
		const host = createPollHost(SERVICE, { jobIds }, { pollBudgetMs: 'unknown', respond });
		const began = clock.now();

		const emitted = await host.publish();

		expect(emitted).toHaveLength(60);
		expect(clock.now() - began).toBe(0.8 * 5 * 60_000);
	});
});
