import { SERVICE_LIMITS } from '../../../nodes/service/rateLimits';
import { eventually } from '../../support/eventually';
import {
	createPollHost,
	ENGINES,
	eventsOf,
	type Engine,
	type PollHost,
} from '../../support/pollNode';
import { useSandbox } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';
import { setServiceLimits } from '../../support/testRuntime';

const service = useSandbox();
const listService = useServer();

const LIST_IN_VARIABLE = { jobIds: '={{ $vars.jobs }}' };

/** How often jobs have been looked at. */
async function looks(): Promise<number> {
	return (await service.requests({ endpoint: 'getJob' })).length;
}

/** What the trigger remembers of its jobs, as saved. */
function notesIn({ savedMemory }: PollHost): string[] {
	return Object.values((savedMemory.told ?? {}) as Record<string, string>);
}

describe.each(ENGINES)("with n8n's %s engine, an event", (engine) => {
	it('is told once, and its job is not looked at again', async () => {
		const jobId = await service.givenJob(['completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });

		await host.publish();
		const later = [await host.tick(), await host.tick()];

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'completed']]]);
		expect(later).toEqual([[], []]);
		expect(await looks()).toBe(1);
	});

	it('is told once over a restart of n8n', async () => {
		const jobIds = [await service.givenJob(['completed']), await service.givenJob(['running'])];
		const host = createPollHost(service, { jobIds: jobIds.join() }, { engine });

		await host.publish();
		await host.restart();
		await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobIds[0], 'completed']]]);
	});

	it('is told after a restart when it happened while n8n was down', async () => {
		const jobId = await service.givenJob({ durationSeconds: 900 });
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();
		await host.tick();

		await service.admin.advance(3_600);
		const told = [...(await host.restart()), ...(await host.tick())];

		expect(eventsOf(told)).toEqual([[jobId, 'completed']]);
	});

	it('is told once over deactivating and publishing again', async () => {
		const jobId = await service.givenJob(['failed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });

		await host.publish();
		host.unpublish();
		await host.publish();
		await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'failed']]]);
	});

	it('that n8n throws away, since the workflow was deactivated meanwhile, is told later', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();
		await service.admin.fault({ endpoint: 'getJob', kind: 'delay', delayMs: 300 });

		const tick = host.tick();
		await eventually(async () => expect(await looks()).toBe(2));
		host.unpublish();
		await tick;
		const told = await host.publish();

		expect(eventsOf(told)).toEqual([[jobId, 'completed']]);
		expect(host.executions).toHaveLength(1);
	});

	it('is told for each status: a pause, and later the end', async () => {
		const jobId = await service.givenJob(['paused', 'running', 'completed']);
		const host = createPollHost(
			service,
			{ jobIds: jobId, triggerOn: ['paused', 'completed'] },
			{ engine },
		);

		const told = [await host.publish(), await host.tick(), await host.tick(), await host.tick()];

		expect(told.map(eventsOf)).toEqual([[[jobId, 'paused']], [], [[jobId, 'completed']], []]);
	});

	it('is told once of a job that is paused again after a resume', async () => {
		const jobId = await service.givenJob(['paused', 'running', 'paused', 'running']);
		const host = createPollHost(service, { jobIds: jobId, triggerOn: ['paused'] }, { engine });

		for (const poll of [host.publish(), host.tick, host.tick, host.tick]) {
			await (typeof poll === 'function' ? poll.call(host) : poll);
		}

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'paused']]]);
	});

	it('is told of a job that was not found at first, and then was', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 404, times: 2 });
		const host = createPollHost(service, { jobIds: jobId }, { engine });

		const told = [await host.publish(), await host.tick(), await host.tick(), await host.tick()];

		expect(told.map(eventsOf)).toEqual([[[jobId, 'not_found']], [], [[jobId, 'completed']], []]);
	});

	it('that was not asked for is told when it is, after publishing anew', async () => {
		const jobId = await service.givenJob(['failed']);
		const host = createPollHost(service, { jobIds: jobId, triggerOn: ['completed'] }, { engine });
		await host.publish();

		host.unpublish();
		host.parameters.triggerOn = ['completed', 'failed'];
		const told = await host.publish();

		expect(eventsOf(told)).toEqual([[jobId, 'failed']]);
	});

	it('that was not asked for is seen once, and its job is not looked at any more', async () => {
		const jobId = await service.givenJob(['failed']);
		const host = createPollHost(service, { jobIds: jobId, triggerOn: ['completed'] }, { engine });
		await host.publish();
		await host.tick();
		const before = await looks();

		await host.tick();

		expect(await looks()).toBe(before);
		expect(host.executions).toEqual([]);
	});

	it('is forgotten with its job when that has left the list', async () => {
		const jobs = [await service.givenJob(['completed']), await service.givenJob(['failed'])];
		const host = createPollHost(service, LIST_IN_VARIABLE, { engine, variables: { jobs } });
		await host.publish();
		expect(notesIn(host)).toHaveLength(2);

		host.variables.jobs = [jobs[1] ?? '', await service.givenJob(['completed'])];
		await host.tick();

		expect(notesIn(host)).toHaveLength(2);
		expect(host.executions).toHaveLength(2);
	});
});

describe("n8n's end between starting an execution and saving", () => {
	it('makes the default engine tell an event again, and loses none', async () => {
		const first = await service.givenJob(['running', 'completed']);
		const second = await service.givenJob(['running', 'running', 'completed']);
		const host = createPollHost(service, { jobIds: [first, second].join() });
		await host.publish();

		host.loseSaves();
		await host.tick();
		const told = [...(await host.restart()), ...(await host.tick())];

		expect(eventsOf(host.executions[0] ?? [])).toEqual([[first, 'completed']]);
		expect(eventsOf(told)).toEqual([
			[first, 'completed'],
			[second, 'completed'],
		]);
		expect(await host.tick()).toEqual([]);
	});

	it('loses nothing that was told before it', async () => {
		const told = await service.givenJob(['completed']);
		const late = await service.givenJob(['running', 'failed']);
		const host = createPollHost(service, { jobIds: [told, late].join() });
		await host.publish();

		host.loseSaves();
		await host.tick();
		const again = await host.restart();

		expect(eventsOf(again)).toEqual([[late, 'failed']]);
	});
});

describe('a fault in the middle of a poll', () => {
	it.each(ENGINES)(
		'leaves the events of that poll to the next one in the %s engine',
		async (engine) => {
			const jobId = await service.givenJob(['running', 'completed']);
			const host = createPollHost(service, { jobIds: '={{ $vars.jobs }}' }, { engine });
			host.variables.jobs = jobId;
			await host.publish();

			host.variables.jobs = 'a/b';
			await host.tick();
			host.variables.jobs = jobId;
			const told = await host.tick();

			expect(host.failures).toHaveLength(1);
			expect(eventsOf(told)).toEqual([[jobId, 'completed']]);
		},
	);
});

describe('the memory', () => {
	const jobsUpTo = (count: number) =>
		Array.from({ length: count }, (_, index) => `job_${String(index).padStart(24, '0')}`);

	/** All jobs are told at the first poll: the service's limits are not what this is about. */
	async function publishedWith(jobs: string[], engine?: Engine): Promise<PollHost> {
		listService.answers({ body: { status: 'completed' } });
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 100_000, windowMs: 60_000 } });
		const host = createPollHost(listService, LIST_IN_VARIABLE, {
			engine,
			variables: { jobs },
			pollBudgetMs: 3_600_000,
		});
		await host.publish();
		return host;
	}

	it.each(ENGINES)('takes few bytes for each job in the %s engine', async (engine) => {
		const host = await publishedWith(jobsUpTo(100), engine);

		expect(host.executions.flat()).toHaveLength(100);
		expect(notesIn(host)).toHaveLength(100);
		expect(JSON.stringify(host.savedMemory).length / 100).toBeLessThan(16);
	});

	it('shrinks with the list', async () => {
		const jobs = jobsUpTo(50);
		const host = await publishedWith(jobs);

		host.variables.jobs = [...jobs.slice(0, 3), 'job_new'];
		await host.tick();

		expect(eventsOf(host.executions.at(-1) ?? [])).toEqual([['job_new', 'completed']]);
		expect(JSON.stringify(host.savedMemory).length).toBeLessThan(100);
	});

	it('is not saved by the default engine when there is no news', async () => {
		const jobId = await service.givenJob(['running']);
		const host = createPollHost(service, { jobIds: jobId });

		await host.publish();
		await host.tick();

		expect(host.savedMemory).toEqual({});
	});

	it('holds no job ID, and nothing else of what the service said', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'A secret' });
		const host = createPollHost(service, { jobIds: jobId });

		await host.publish();

		expect(JSON.stringify(host.savedMemory)).toMatch(/^\{"told":\{"[\w-]{8}":"C"\}\}$/);
	});
});
