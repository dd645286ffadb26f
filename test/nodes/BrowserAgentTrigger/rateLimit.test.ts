import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { createPollHost, ENGINES } from '../../support/pollNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox } from '../../support/useSandbox';

const MINUTE_MS = 60_000;
const CALLS_PER_MINUTE = SERVICE_LIMITS.status.calls;
const RATE_LIMITED = { kind: 'status', status: 429, headers: { 'retry-after': '40' } } as const;

describe('BrowserAgentTrigger within the rate limit', () => {
	const service = useSandbox();
	const { clock } = service;

	it.each(ENGINES)("spreads many jobs over the polls in n8n's %s engine", async (engine) => {
		const jobIds = await service.givenManyJobs(2.5 * CALLS_PER_MINUTE, ['running']);
		const host = createPollHost(service, { jobIds: jobIds.join() }, { engine });
		await host.publish();

		for (let minute = 1; minute <= 3; minute++) {
			await clock.advance(1.02 * MINUTE_MS);
			await host.tick();
		}

		const polled = await service.polledJobs(CALLS_PER_MINUTE);
		expect(polled).toHaveLength(3 * CALLS_PER_MINUTE);
		expect(new Set(polled)).toEqual(new Set(jobIds));
		expect(await service.admin.counters()).toMatchObject({ rateLimited: 0 });
	});

	it('emits what is known without waiting a minute for the next free call', async () => {
		const jobIds = await service.givenManyJobs(CALLS_PER_MINUTE + 1, ['completed']);
		const host = createPollHost(service, { jobIds: jobIds.join() });
		const began = clock.now();

		const emitted = await host.publish();

		expect(emitted).toHaveLength(CALLS_PER_MINUTE);
		expect(clock.now() - began).toBeLessThan(12_000);
	});

	it('ends a poll without any free call quietly, with a line in the log', async () => {
		const jobIds = await service.givenManyJobs(CALLS_PER_MINUTE, ['running']);
		const host = createPollHost(service, { jobIds: jobIds.join() });
		await host.publish();

		await host.tick();

		expect(host.failures).toEqual([]);
		expect(host.log).toEqual([
			expect.stringContaining(
				"Browser Agent Trigger could not check any job: the account's rate limit is used up",
			),
		]);
	});

	it('ends the poll when the service responds with a 429', async () => {
		const jobIds = await service.givenJobs(...Array<string[]>(9).fill(['running']));
		await service.fault('getJob', RATE_LIMITED, { jobId: jobIds[0] });
		await service.fault('getJob', { kind: 'delay', delaySeconds: 1, times: 'always' });

		await createPollHost(service, { jobIds: jobIds.join() }).publish();

		expect(await service.polledJobs()).toEqual(jobIds.slice(0, 5));
	});

	it('begins the next poll with a job that got a 429', async () => {
		const [first, second, third] = await service.givenJobs(['running'], ['running'], ['running']);
		await service.fault('getJob', RATE_LIMITED, { jobId: second });
		const host = createPollHost(service, { jobIds: `${first},${second},${third}` });
		await host.publish();

		await clock.advance(45_000);
		await host.tick();

		expect(await service.polledJobs(3)).toEqual([second, third, first]);
	});

	it('emits the ends of all other jobs while the status of one is refused at each poll', async () => {
		const jobIds = await service.givenJobs(...Array<string[]>(5).fill(['completed']));
		const [refused] = jobIds;
		await service.fault('getJob', RATE_LIMITED, { jobId: refused, times: 'always' });
		const host = createPollHost(service, { jobIds: jobIds.join() });

		const emitted = await host.publish();
		for (let minute = 1; minute <= 4; minute++) {
			await clock.advance(MINUTE_MS);
			emitted.push(...(await host.tick()));
		}

		expect(emitted.map(({ json }) => json.job_id).sort()).toEqual(jobIds.slice(1).sort());
	});

	/** Uses up all free calls but one. */
	async function leaveOneCall(jobId: string): Promise<void> {
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 3, windowMs: 60 * MINUTE_MS } });
		const input = [{ job_id: jobId }, { job_id: jobId }];
		await service.run({ resource: 'job', operation: 'get', input });
	}

	it('fails a manual test when the action node has used up the calls', async () => {
		const jobId = await service.givenJob(['running']);
		await leaveOneCall(jobId);
		const host = createPollHost(service, { jobIds: jobId });
		await host.test();

		await expect(host.test()).rejects.toMatchObject({
			message: "The request timed out while waiting for the account's rate limit",
		});
	});
});
