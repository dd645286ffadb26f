import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { testClock } from '../../support/testClock';
import { createPollHost, ENGINES, eventsOf } from '../../support/pollNode';
import { jobIdsUpTo, showsJob, stubJobs } from '../../support/stubNetwork';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { useSandbox } from '../../support/useSandbox';

const MINUTE_MS = 60_000;
const CALLS_PER_MINUTE = SERVICE_LIMITS.status.calls;
const SERVICE = { url: 'https://api.example.com' };
const RATE_LIMITED = { statusCode: 429, headers: { 'retry-after': '40' } };

describe('BrowserAgentTrigger within the rate limit', () => {
	let clock: SimulatedClock;

	beforeEach(() => setClock((clock = testClock())));
	afterEach(() => setServiceLimits());
	afterAll(() => setClock());

	it.each(ENGINES)("spreads many jobs over the polls in n8n's %s engine", async (engine) => {
		const jobIds = jobIdsUpTo(2.5 * CALLS_PER_MINUTE);
		const jobs = stubJobs(showsJob('running'));
		const { respond } = jobs;
		const host = createPollHost(SERVICE, { jobIds: jobIds.join() }, { engine, respond });
		await host.publish();
		jobs.polled = [];

		for (let minute = 1; minute <= 3; minute++) {
			await clock.advance(1.02 * MINUTE_MS);
			await host.tick();
		}

		expect(jobs.polled).toHaveLength(3 * CALLS_PER_MINUTE);
		expect(new Set(jobs.polled)).toEqual(new Set(jobIds));
	});

	it('emits what is known without waiting a minute for the next free call', async () => {
		const jobIds = jobIdsUpTo(CALLS_PER_MINUTE + 1).join();
		const { respond } = stubJobs(showsJob('completed'));
		const host = createPollHost(SERVICE, { jobIds }, { respond });
		const began = clock.now();

		const emitted = await host.publish();

		expect(emitted).toHaveLength(CALLS_PER_MINUTE);
		expect(clock.now() - began).toBeLessThan(12_000);
	});

	it('ends a poll without any free call quietly, with a line in the log', async () => {
		const jobIds = jobIdsUpTo(CALLS_PER_MINUTE).join();
		const { respond } = stubJobs(showsJob('running'));
		const host = createPollHost(SERVICE, { jobIds }, { respond });
		await host.publish();

		await host.tick();

		expect(host.failures).toEqual([]);
		expect(host.log).toEqual([
			"Browser Agent Trigger could not check any job: the account's rate limit is used up",
		]);
	});

	it('takes turns with other triggers of the account', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 1, windowMs: 2_000 } });
		const { respond, polled } = stubJobs(showsJob('running'));
		const many = createPollHost(SERVICE, { jobIds: jobIdsUpTo(20).join() }, { respond });
		const one = createPollHost(SERVICE, { jobIds: 'other_job' }, { respond, nodeId: 'other' });

		await Promise.all([many.publish(), one.publish()]);

		expect(polled.slice(0, 3)).toContain('other_job');
	});

	it('ends the poll when the service responds with a 429', async () => {
		const jobs = stubJobs(showsJob('running', 1));
		jobs.responses.job_1 = RATE_LIMITED;
		const { respond } = jobs;
		const host = createPollHost(SERVICE, { jobIds: jobIdsUpTo(9).join() }, { respond });

		await host.publish();

		expect(jobs.polled).toEqual(jobIdsUpTo(5));
	});

	it('begins the next poll with a job that got a 429', async () => {
		const jobs = stubJobs(showsJob('running'));
		jobs.responses.job_2 = RATE_LIMITED;
		const { respond } = jobs;
		const host = createPollHost(SERVICE, { jobIds: jobIdsUpTo(3).join() }, { respond });
		await host.publish();
		jobs.polled = [];
		jobs.responses = {};

		await clock.advance(45_000);
		await host.tick();

		expect(jobs.polled).toEqual(['job_2', 'job_3', 'job_1']);
	});

	describe('beside the action node', () => {
		const service = useSandbox();

		/** Uses up all free calls but one. */
		async function leaveOneCall(jobId: string): Promise<void> {
			setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 3, windowMs: 60 * MINUTE_MS } });
			const input = [{ job_id: jobId }, { job_id: jobId }];
			await service.run({ resource: 'job', operation: 'get', input });
		}

		it('shares the calls of the account', async () => {
			const jobIds = [await service.givenJob(['completed']), await service.givenJob(['completed'])];
			await leaveOneCall(jobIds[0] ?? '');

			const emitted = await createPollHost(service, { jobIds: jobIds.join() }).publish();

			expect(eventsOf(emitted)).toEqual([[jobIds[0], 'completed']]);
		});

		it('fails a manual test when no call is free', async () => {
			const jobId = await service.givenJob(['running']);
			await leaveOneCall(jobId);
			const host = createPollHost(service, { jobIds: jobId });
			await host.test();

			await expect(host.test()).rejects.toMatchObject({
				message: "The request could not be sent in time within the account's rate limit",
			});
		});
	});
});
