import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { createPollHost, ENGINES, eventsOf } from '../../support/pollNode';
import { steadyClock } from '../../support/steadyClock';
import { useSandbox } from '../../support/useSandbox';
import { currentClock, setClock, setServiceLimits } from '../../support/testRuntime';

// Slower than elsewhere: a hiccup of the machine must not look like a queue.
const TIME_SCALE = 20;
const MINUTE_MS = 60_000;

const service = useSandbox({ timeScale: TIME_SCALE });

beforeEach(() => setClock(steadyClock(TIME_SCALE)));

/** Starts jobs past the service's limits, which are back in place afterwards. */
async function givenJobs(count: number, statuses = ['running']): Promise<string[]> {
	await service.admin.setLimits({ limits: 'off' });
	await service.admin.nextJobs(Array.from({ length: count }, () => statuses));
	const jobIds: string[] = [];
	for (let index = 0; index < count; index++) jobIds.push(await service.givenJob());
	await service.admin.setLimits({ limits: {} });
	return jobIds;
}

/** Which jobs have been looked at since the last call of this. */
function createLookout(): () => Promise<string[]> {
	let since = 0;
	return async () => {
		const requests = await service.requests({ endpoint: 'getJob', since });
		since = requests.at(-1)?.id ?? since;
		return requests.map(({ jobId }) => jobId ?? '');
	};
}

/** The service has counted no call too many. */
async function expectNoneTooMany(): Promise<void> {
	const { rateLimited, maxInWindow } = await service.admin.counters();
	expect(rateLimited).toBe(0);
	expect(maxInWindow.polls).toBeLessThanOrEqual(60);
}

describe.each(ENGINES)("more jobs than fit into one poll, in n8n's %s engine,", (engine) => {
	const WINDOW_MS = 20_000;
	const CALLS = 20;

	it('get their turn over the next polls, those that wait longest first', async () => {
		const jobIds = await givenJobs(45);
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: CALLS, windowMs: WINDOW_MS } });
		await service.admin.setLimits({
			limits: { statusPerWindow: CALLS, windowSeconds: WINDOW_MS / 1_000 },
		});
		const host = createPollHost(service, { jobIds: jobIds.join() }, { engine });
		await host.publish();
		const looked = createLookout();
		await looked();

		const rounds: string[][] = [];
		for (let tick = 0; tick < 3; tick++) {
			await currentClock().sleep(WINDOW_MS);
			await host.tick();
			rounds.push(await looked());
		}

		const [first = [], second = []] = rounds;
		expect(first).toHaveLength(CALLS);
		expect(second.filter((jobId) => first.includes(jobId))).toEqual([]);
		expect(new Set(rounds.flat())).toEqual(new Set(jobIds));
		expect((await service.admin.counters()).rateLimited).toBe(0);
	});
});

describe('jobs that find no room in the rate limit', () => {
	it('do not hold back what is known of the others', async () => {
		const jobIds = await givenJobs(61, ['completed']);
		const host = createPollHost(service, { jobIds: jobIds.join() });
		const began = currentClock().now();

		const told = await host.publish();

		expect(told).toHaveLength(60);
		expect(currentClock().now() - began).toBeLessThan(MINUTE_MS);
	});

	it('are no fault: the poll without news is a quiet one', async () => {
		const jobIds = await givenJobs(61);
		const host = createPollHost(service, { jobIds: jobIds.join() });

		await host.publish();
		await host.tick();

		expect(host.failures).toEqual([]);
		expect(host.executions).toEqual([]);
	});
});

describe("the account's rate limit", () => {
	it('is one for the trigger and the action node', async () => {
		const jobIds = await givenJobs(50);
		const host = createPollHost(service, { jobIds: jobIds.join() });
		const looked = createLookout();

		await service.run({
			resource: 'job',
			operation: 'get',
			input: jobIds.slice(0, 40).map((jobId) => ({ job_id: jobId })),
		});
		await looked();
		await host.publish();

		expect(await looked()).toHaveLength(20);
		await expectNoneTooMany();
	});

	it('is one for all triggers of the account', async () => {
		const jobIds = await givenJobs(80);
		const hosts = [jobIds.slice(0, 40), jobIds.slice(40)].map((ids) =>
			createPollHost(service, { jobIds: ids.join() }),
		);

		for (const host of hosts) await host.publish();

		await expectNoneTooMany();
	});
});

describe("a poll's time", () => {
	it('ends the poll, and the next one goes on where it ended', async () => {
		const jobIds = await givenJobs(15, ['completed']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'delay', delayMs: 400, times: 'always' });
		const host = createPollHost(
			service,
			{ jobIds: jobIds.join() },
			{ engine: 'durable', pollBudgetMs: 15_000 },
		);
		const began = currentClock().now();

		const first = await host.publish();
		const tookMs = currentClock().now() - began;
		const second = await host.tick();

		expect(tookMs).toBeLessThan(45_000);
		expect(first.length).toBeGreaterThan(0);
		expect(first.length).toBeLessThan(15);
		expect(eventsOf(second)[0]).toEqual([jobIds[first.length], 'completed']);
	});

	it('is that of old when n8n does not say how long it is', async () => {
		const jobId = await service.givenJob(['completed']);
		const host = createPollHost(service, { jobIds: jobId }, { pollBudgetMs: 'unknown' });

		expect(eventsOf(await host.publish())).toEqual([[jobId, 'completed']]);
	});

	it('leaves a hanging service behind in the time of the durable engine', async () => {
		const jobIds = await givenJobs(12);
		await service.admin.fault({ endpoint: 'getJob', kind: 'delay', delayMs: 600, times: 'always' });
		const host = createPollHost(service, { jobIds: jobIds.join() }, { engine: 'durable' });
		await host.publish();
		const began = currentClock().now();

		await host.tick();

		// 36 s are all there is, and a look that has begun is waited for.
		expect(currentClock().now() - began).toBeLessThan(36_000 * 0.8 + 30_000);
	});
});

describe('a poll that comes while the last one goes on', () => {
	it('does nothing, so that nothing is told twice', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId });
		await host.publish();
		await service.admin.fault({ endpoint: 'getJob', kind: 'delay', delayMs: 200 });

		const told = await Promise.all([host.tick(), host.tick()]);
		const next = await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'completed']]]);
		expect(told.flat().length).toBeGreaterThan(0);
		expect(next).toEqual([]);
		expect(await service.requests({ endpoint: 'getJob' })).toHaveLength(2);
	});

	it('does not keep later ones from working when it has failed', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId });
		await host.publish();
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 500 });

		await host.tick();

		expect(host.failures).toHaveLength(1);
		expect(eventsOf(await host.tick())).toEqual([[jobId, 'completed']]);
	});
});
