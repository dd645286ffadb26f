import { createPollHost, ENGINES, eventsOf } from '../../support/pollNode';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

/** The service says this many times that it does not know the job. */
async function hideJob(jobId: string, { status = 404, times = 1, skip = 0 } = {}): Promise<void> {
	const body = { detail: 'Job not found' };
	await service.fault('getJob', status, { jobId, body, times, skip });
}

describe.each(ENGINES)("BrowserAgentTrigger in n8n's %s engine", (engine) => {
	it('emits not_found, once, when the next poll does not find the job again', async () => {
		const host = createPollHost(service, { jobIds: 'job_gone' }, { engine });

		const emitted = [await host.publish(), await host.tick(), await host.tick()];

		expect(emitted.map(eventsOf)).toEqual([[], [['job_gone', 'not_found']], []]);
	});

	it('emits nothing when one poll does not find a job, and logs no warning', async () => {
		const jobId = await service.givenJob(['completed']);
		await hideJob(jobId);
		const host = createPollHost(service, { jobIds: jobId }, { engine });

		const emitted = [await host.publish(), await host.tick()];

		expect(emitted.map(eventsOf)).toEqual([[], [[jobId, 'completed']]]);
		expect(host.log).toEqual([]);
	});
});

// What was not found is remembered in the process, whatever the engine.
describe('BrowserAgentTrigger', () => {
	it('emits nothing when a poll between two that do not find a job sees it', async () => {
		const jobId = await service.givenJob(['running']);
		await hideJob(jobId);
		await hideJob(jobId, { skip: 1 });
		const host = createPollHost(service, { jobIds: jobId });

		const emitted = [await host.publish(), await host.tick(), await host.tick(), await host.tick()];

		expect(emitted.flat()).toEqual([]);
	});

	it('emits not_found when a poll between two that do not find a job has failed', async () => {
		const jobId = await service.givenJob(['running']);
		await hideJob(jobId);
		await service.fault('getJob', 500, { jobId });
		await hideJob(jobId);
		const host = createPollHost(service, { jobIds: jobId });
		await host.publish();
		await host.tick();

		const emitted = await host.tick();

		expect(eventsOf(emitted)).toEqual([[jobId, 'not_found']]);
	});

	it('emits the end of a job that turns up after not_found', async () => {
		const jobId = await service.givenJob(['completed']);
		await hideJob(jobId, { times: 3 });
		const host = createPollHost(service, { jobIds: jobId });

		const emitted = [await host.publish()];
		for (let tick = 1; tick <= 4; tick++) emitted.push(await host.tick());

		expect(emitted.map(eventsOf)).toEqual([
			[],
			[[jobId, 'not_found']],
			[],
			[[jobId, 'completed']],
			[],
		]);
	});

	it('counts anew for a job that was not watched meanwhile', async () => {
		const host = createPollHost(
			service,
			{ jobIds: '={{ $vars.jobs }}' },
			{ variables: { jobs: 'job_gone' } },
		);
		await host.publish();
		host.variables.jobs = '';
		await host.tick();
		host.variables.jobs = 'job_gone';

		const emitted = [await host.tick(), await host.tick()];

		expect(emitted.map(eventsOf)).toEqual([[], [['job_gone', 'not_found']]]);
	});

	it('fails no poll because of another job while a job is not found', async () => {
		const other = await service.givenJob(['completed']);
		await service.fault('getJob', 500, { jobId: other, times: 'always' });
		const host = createPollHost(service, { jobIds: ['job_gone', other].join() });
		await host.publish();

		await host.tick();

		expect(host.failures).toEqual([]);
		expect(host.log.join()).toContain('HTTP 500');
	});
});

describe('When the service knows none of several watched jobs', () => {
	const JOBS = { jobIds: 'job_a, job_b' };

	it('a poll fails with an error about the address, and the workflow can be published', async () => {
		const host = createPollHost(service, JOBS);

		await host.publish();
		await host.tick();

		expect(host.executions).toEqual([]);
		expect(host.failures).toMatchObject([
			{
				message: "None of the 2 watched jobs was found at 'Base URL'",
				failure: { cause: 'temporarily-unavailable' },
			},
		]);
	});

	it('no poll emits an event for each, however often it happens', async () => {
		const [first] = await service.givenJobs(['running']);
		const host = createPollHost(
			service,
			{ jobIds: '={{ $vars.jobs }}' },
			{ variables: { jobs: first ?? '' } },
		);
		await host.publish();
		host.variables.jobs = 'job_a, job_b';

		for (let tick = 1; tick <= 3; tick++) await host.tick();

		expect(host.executions).toEqual([]);
		expect(host.failures).toHaveLength(3);
	});

	it('they are emitted as not_found if one of them was seen before', async () => {
		const jobIds = await service.givenJobs(['running'], ['running']);
		await hideJob(jobIds[0] ?? '', { skip: 1, times: 9 });
		await hideJob(jobIds[1] ?? '', { skip: 1, times: 9 });
		const host = createPollHost(service, { jobIds: jobIds.join() });
		await host.publish();
		await host.tick();

		const emitted = await host.tick();

		expect(eventsOf(emitted)).toEqual(jobIds.map((jobId) => [jobId, 'not_found']));
	});

	it('a restart of n8n changes nothing for jobs that were emitted before', async () => {
		const [done] = await service.givenJobs(['user_taken_over']);
		await hideJob(done ?? '', { skip: 1, times: 9 });
		const host = createPollHost(service, { jobIds: `${done}, job_a` });
		await host.publish();
		await host.restart();

		const emitted = await host.tick();

		expect(eventsOf(emitted)).toEqual([
			[done, 'not_found'],
			['job_a', 'not_found'],
		]);
		expect(host.failures).toEqual([]);
	});
});
