import { createPollHost, ENGINES, eventsOf } from '../../support/pollNode';
import { useSandbox } from '../../support/useSandbox';

const LIST_IN_VARIABLE = { jobIds: '={{ $vars.jobs }}' };

const service = useSandbox();

/** How often the status of jobs was polled. */
async function countPolls(): Promise<number> {
	return (await service.sent('getJob')).length;
}

describe.each(ENGINES)("BrowserAgentTrigger in n8n's %s engine", (engine) => {
	it('emits a finished job once, over a restart of n8n, too, and does not poll it again', async () => {
		const jobId = await service.givenJob(['completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });

		await host.publish();
		await host.tick();
		await host.restart();
		await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'completed']]]);
		expect(await countPolls()).toBe(1);
	});

	it('emits, after a restart, an event that occurred while n8n was down', async () => {
		const jobId = await service.givenJob({ durationSeconds: 900 });
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();
		await host.tick();

		await service.admin.advance(3_600);
		const emitted = [...(await host.restart()), ...(await host.tick())];

		expect(eventsOf(emitted)).toEqual([[jobId, 'completed']]);
	});

	it('emits again later an event that n8n discarded when the workflow was deactivated', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();

		const polling = host.tick();
		host.unpublish();
		const discarded = await polling;
		// Until then, n8n may still be storing the event.
		await service.clock.advance(10_000);
		const emitted = await host.publish();

		expect(discarded).toEqual([]);
		expect(eventsOf(emitted)).toEqual([[jobId, 'completed']]);
		expect(await countPolls()).toBe(3);
	});

	it('emits nothing twice when the list is another one once and then the old one', async () => {
		const jobs = [await service.givenJob(['completed']), await service.givenJob(['failed'])];
		const triggerOn = ['completed', 'failed'];
		const host = createPollHost(
			service,
			{ ...LIST_IN_VARIABLE, triggerOn },
			{ engine, variables: { jobs } },
		);
		await host.publish();

		host.variables.jobs = ['job_gone'];
		await host.tick();
		host.variables.jobs = jobs;
		await host.tick();
		await host.restart();
		await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([
			[
				[jobs[0], 'completed'],
				[jobs[1], 'failed'],
			],
		]);
	});

	it.each<[string, { nodeId?: string; nodeName?: string }]>([
		['name', { nodeName: 'Finished jobs' }],
		['ID', { nodeId: 'another' }],
	])('emits nothing again when the node has a new %s', async (_label, change) => {
		const jobId = await service.givenJob(['completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();

		Object.assign(host, change);
		await host.publish();
		await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'completed']]]);
	});

	it('emits nothing again when the node has its old name again', async () => {
		const jobIds = [
			await service.givenJob(['completed']),
			await service.givenJob(['running', 'failed']),
		];
		const host = createPollHost(service, { jobIds: jobIds.join() }, { engine });
		const { nodeName } = host;
		await host.publish();

		await service.clock.advance(1_000);
		host.nodeName = 'Finished jobs';
		await host.publish();
		host.nodeName = nodeName;
		// Until then, n8n may still be storing the event.
		await service.clock.advance(10_000);
		await host.publish();

		expect(host.executions.map(eventsOf)).toEqual([
			[[jobIds[0], 'completed']],
			[[jobIds[1], 'failed']],
		]);
	});

	it('emits the events of a new node that has the former name of another', async () => {
		const jobIds = [await service.givenJob(['completed']), await service.givenJob(['completed'])];
		const variables = { jobs: jobIds[0] };
		const host = createPollHost(service, LIST_IN_VARIABLE, { engine, variables });
		const { nodeName } = host;
		await host.publish();
		host.nodeName = 'Finished jobs';
		host.variables.jobs = jobIds[1];
		await host.publish();

		Object.assign(host, { nodeName, nodeId: 'new' });
		host.variables.jobs = jobIds[0];
		const emitted = await host.publish();

		expect(eventsOf(emitted)).toEqual([[jobIds[0], 'completed']]);
	});

	it('emits the events of two nodes with the same ID', async () => {
		const jobIds = [
			await service.givenJob(['running', 'completed']),
			await service.givenJob(['running', 'completed']),
		];
		const hosts = jobIds.map((jobId) => createPollHost(service, { jobIds: jobId }, { engine }));
		for (const [index, host] of hosts.entries()) host.nodeName = `Trigger ${index}`;
		for (const host of hosts) await host.publish();

		await Promise.all(hosts.map(async (host) => await host.tick()));

		const emitted = hosts.map(({ executions }) => executions.map(eventsOf));
		expect(emitted).toEqual(jobIds.map((jobId) => [[[jobId, 'completed']]]));
	});

	it('emits the events of a poll that has failed at the next poll', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const host = createPollHost(service, LIST_IN_VARIABLE, { engine, variables: { jobs: jobId } });
		await host.publish();

		host.variables.jobs = 'a/b';
		await host.tick();
		host.variables.jobs = jobId;
		const emitted = await host.tick();

		expect(host.failures).toHaveLength(1);
		expect(eventsOf(emitted)).toEqual([[jobId, 'completed']]);
	});

	it('emits an event once when a poll begins while the last one is still running', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();

		await Promise.all([host.tick(), host.tick()]);
		await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'completed']]]);
		expect(await countPolls()).toBe(2);
	});

	it('emits an event once when several polls are due at the same time', async () => {
		const jobId = await service.givenJob(['running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();

		await host.ticksAtOnce(3);
		await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'completed']]]);
	});
});

describe('BrowserAgentTrigger', () => {
	it.each(['paused', 'user_taken_over'])(
		'emits each status of a job once: %s, which lasts, and later the end',
		async (status) => {
			const jobId = await service.givenJob([status, status, 'completed']);
			const host = createPollHost(service, { jobIds: jobId, triggerOn: [status, 'completed'] });

			const emitted = [await host.publish()];
			for (let tick = 1; tick <= 3; tick++) emitted.push(await host.tick());

			expect(emitted.map(eventsOf)).toEqual([[[jobId, status]], [], [[jobId, 'completed']], []]);
		},
	);

	it("emits nothing for a gateway's own 404, logs it, and emits the end of the job after it", async () => {
		const jobId = await service.givenJob(['completed']);
		const page = { body: '<title>Not found</title>', contentType: 'text/html' };
		const fault = { endpoint: 'getJob', kind: 'status', status: 404, times: 2, ...page } as const;
		await service.admin.fault(fault);
		const host = createPollHost(service, { jobIds: jobId });

		const emitted = [await host.publish(), await host.tick(), await host.tick()];

		expect(emitted.map(eventsOf)).toEqual([[], [], [[jobId, 'completed']]]);
		expect(host.log.join()).toContain(`could not check the status of job ${jobId}`);
		expect(host.failures).toMatchObject([{ failure: { cause: 'temporarily-unavailable' } }]);
	});

	it('emits the end of a job after a takeover that is not an event to emit', async () => {
		const jobId = await service.givenJob(['user_taken_over', 'running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId, triggerOn: ['completed'] });
		await host.publish();

		for (let poll = 0; poll < 3; poll++) await host.tick();

		expect(host.executions.map(eventsOf)).toEqual([[[jobId, 'completed']]]);
	});

	it('keeps IDs and nothing else in the static data', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'A secret' });
		const failedId = await service.givenJob(['failed']);
		const runningId = await service.givenJob(['running']);
		const jobIds = [jobId, failedId, runningId].join();
		const host = createPollHost(service, { jobIds, triggerOn: ['completed'] });

		await host.publish();

		expect(host.savedState).toEqual({
			jobs: [
				[jobId, ['completed']],
				[failedId, ['failed']],
			],
			nodeId: expect.any(String),
			nodeName: 'Browser Agent Trigger',
			touchedAt: expect.any(Number),
		});
	});
});

// What n8n's default engine can't do better: it saves static data and the execution side by side.
describe('BrowserAgentTrigger when n8n is killed between starting an execution and saving', () => {
	it('emits the event again, and loses none', async () => {
		const first = await service.givenJob(['running', 'completed']);
		const second = await service.givenJob(['running', 'running', 'completed']);
		const host = createPollHost(service, { jobIds: [first, second].join() });
		await host.publish();

		host.loseSaves();
		await host.tick();
		const emitted = [...(await host.restart()), ...(await host.tick())];

		expect(eventsOf(host.executions[0] ?? [])).toEqual([[first, 'completed']]);
		expect(eventsOf(emitted)).toEqual([
			[first, 'completed'],
			[second, 'completed'],
		]);
		expect(await host.tick()).toEqual([]);
	});
});
