import { createPollHost, eventsOf } from '../../support/pollNode';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

describe('BrowserAgentTrigger in a manual test', () => {
	it("shows the jobs as they are now, whatever their status and 'Trigger On Status'", async () => {
		const jobIds = [
			await service.givenJob(['running']),
			await service.givenJob(['paused']),
			await service.givenJob(['completed']),
			'job_gone',
		];
		const host = createPollHost(service, { jobIds: jobIds.join(), triggerOn: ['failed'] });

		const items = await host.test();

		expect(eventsOf(items)).toEqual([
			[jobIds[0], 'running'],
			[jobIds[1], 'paused'],
			[jobIds[2], 'completed'],
			['job_gone', 'not_found'],
		]);
		expect(items.map(({ json }) => json.is_finished)).toEqual([false, false, true, false]);
		expect(items.every(({ json }) => json.detected_at !== undefined)).toBe(true);
	});

	it('shows at most ten jobs', async () => {
		const jobIds = Array.from({ length: 12 }, (_, index) => `job_${index}`);

		const items = await createPollHost(service, { jobIds: jobIds.join() }).test();

		expect(items.map(({ json }) => json.job_id)).toEqual(jobIds.slice(0, 10));
		expect(await service.requests()).toHaveLength(10);
	});

	it('remembers nothing: a job is shown again, and emitted once published', async () => {
		const jobId = await service.givenJob(['completed']);
		const host = createPollHost(service, { jobIds: jobId });

		const shown = [await host.test(), await host.test()];
		const saved = host.savedState;
		const emitted = await host.publish();

		expect(shown.map(eventsOf)).toEqual([[[jobId, 'completed']], [[jobId, 'completed']]]);
		expect(saved).toEqual({});
		expect(eventsOf(emitted)).toEqual([[jobId, 'completed']]);
	});

	it('says that there are no jobs, and what to do', async () => {
		const testing = createPollHost(service, { jobIds: '' }).test();

		await expect(testing).rejects.toMatchObject({
			message: 'There are no jobs to watch yet',
			description: expect.stringContaining('test again'),
		});
	});

	it('fails at a transient error', async () => {
		const jobId = await service.givenJob(['running']);
		await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 503 });

		const testing = createPollHost(service, { jobIds: jobId }).test();

		await expect(testing).rejects.toMatchObject({
			message: `Job ${jobId}: The service failed to process the request (HTTP 503)`,
		});
	});
});
