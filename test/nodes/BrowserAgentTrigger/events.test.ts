import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { metadataOf } from '../../support/captureLog';
import { createPollHost, eventsOf } from '../../support/pollNode';
import { useSandbox, type FaultCase } from '../../support/useSandbox';

const service = useSandbox();

/** What the first poll emits. */
async function firstPoll(
	jobIds: string,
	parameters: INodeParameters = {},
): Promise<INodeExecutionData[]> {
	return await createPollHost(service, { jobIds, ...parameters }).publish();
}

describe('BrowserAgentTrigger', () => {
	it('emits a job as the action node shows it', async () => {
		const jobId = await service.givenJob({ durationSeconds: 90, output: 'Done' });
		await service.clock.advance(100_000);

		const items = await firstPoll(jobId);

		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					status: 'completed',
					output: 'Done',
					credits_used: 20,
					live_url: expect.stringMatching(/\/live$/),
					history_url: expect.stringContaining('http'),
					duration_seconds: 90,
					is_finished: true,
					detected_at: expect.any(String),
				},
			},
		]);
	});

	it('logs the end of a job with the event, once', async () => {
		const [ended = '', running] = await service.givenJobs({ durationSeconds: 90 }, ['running']);
		await service.clock.advance(100_000);
		const host = createPollHost(service, { jobIds: [ended, running].join() });

		await host.publish();
		await host.tick();

		expect(host.infoLog).toEqual([
			expect.stringContaining(
				`Browser Agent Trigger: job ${ended} finished with status completed after 90 s, using 20 credits (workflow `,
			),
		]);
		expect(metadataOf(host.infoLog)).toEqual([
			{
				workflowId: 'workflow-1',
				workflowName: 'Test',
				nodeName: 'Browser Agent Trigger',
				jobId: ended,
				status: 'completed',
				durationSeconds: 90,
				creditsUsed: 20,
			},
		]);
	});

	it('emits a job with an unknown status and an error as failed, under its own word', async () => {
		const error = 'The browser is gone';
		const jobId = await service.givenJob({ durationSeconds: 0, outcome: 'timed_out', error });

		const [item] = await firstPoll(jobId, { triggerOn: ['failed'] });

		expect(item?.json).toMatchObject({ status: 'timed_out', job_error: error, is_finished: true });
	});

	it.each(['completed', 'failed', 'user_taken_over', 'canceled'])(
		'emits a job when it is %s',
		async (status) => {
			const jobId = await service.givenJob(['running', status]);
			const host = createPollHost(service, { jobIds: jobId });

			const before = await host.publish();
			const items = await host.tick();

			expect(before).toEqual([]);
			expect(eventsOf(items)).toEqual([[jobId, status]]);
			expect(items[0]?.json.is_finished).toBe(true);
		},
	);
});

describe('BrowserAgentTrigger with a completed job that has no output yet', () => {
	const LATE: FaultCase = { kind: 'fields', body: { output: null } };

	it('emits it with the output that comes a moment later', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done' });
		await service.fault('getJob', LATE);

		const items = await firstPoll(jobId);

		expect(items.map(({ json }) => json.output)).toEqual(['Done']);
	});

	it('emits it without an output if none comes, and reads it no more', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], nullFields: ['output'] });
		const host = createPollHost(service, { jobIds: jobId });

		const emitted = [await host.publish(), await host.tick()];

		expect(emitted.map(eventsOf)).toEqual([[[jobId, 'completed']], []]);
		expect(await service.polledJobs()).toEqual([jobId, jobId]);
	});

	it('emits it as it is if it can not be read again', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done' });
		await service.fault('getJob', LATE);
		await service.fault('getJob', 503, { times: 'always' });

		expect(eventsOf(await firstPoll(jobId))).toEqual([[jobId, 'completed']]);
	});

	it('waits for the outputs of many such jobs at the same time', async () => {
		const script = { statuses: ['completed'], output: 'Done' };
		const jobIds = await service.givenManyJobs(20, script);
		for (const jobId of jobIds) await service.fault('getJob', LATE, { jobId });
		const began = service.clock.now();

		const items = await firstPoll(jobIds.join());

		expect(items.map(({ json }) => json.output)).toEqual(Array(20).fill('Done'));
		expect(service.clock.now() - began).toBe(2_000);
	});

	it('does not read it again if that is not an event to emit', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], nullFields: ['output'] });

		await firstPoll(jobId, { triggerOn: ['failed'] });

		expect(await service.polledJobs()).toEqual([jobId]);
	});

	it('shows it in a manual test', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], nullFields: ['output'] });

		const items = await createPollHost(service, { jobIds: jobId }).test();

		expect(eventsOf(items)).toEqual([[jobId, 'completed']]);
	});
});

describe("BrowserAgentTrigger with 'Trigger On Status'", () => {
	it('emits a pause when it is chosen, of a job that is not finished', async () => {
		const jobId = await service.givenJob(['paused']);

		const items = await firstPoll(jobId, { triggerOn: ['paused'] });

		expect(eventsOf(items)).toEqual([[jobId, 'paused']]);
		expect(items[0]?.json.is_finished).toBe(false);
	});
});

describe("BrowserAgentTrigger with 'Simplify'", () => {
	it("shows the service's own response when it is off", async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done' });

		const [item] = await firstPoll(jobId, { simplify: false });

		expect(item?.json).toEqual({
			job_id: jobId,
			status: 'completed',
			response: expect.objectContaining({
				output: 'Done',
				cdp_url: expect.stringMatching(/^wss?:/),
			}),
			detected_at: expect.any(String),
		});
	});
});

describe('BrowserAgentTrigger with an output schema', () => {
	const withSchema = { outputFormat: 'example', outputExample: '{"price": 5}' };

	it.each([null, '', ' \n'])('says that a completed job has no output: %j', async (output) => {
		const body = { status: 'completed', output };
		await service.admin.fault({ endpoint: 'getJob', kind: 'body', body });

		const [item] = await firstPoll('job_1', withSchema);

		expect(item?.json.output_errors).toEqual(['the job has no output']);
	});

	it('emits an output that does not match as it came, with the mismatches', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: { price: '20' } });

		const [item] = await firstPoll(jobId, withSchema);

		expect(item?.json).toMatchObject({
			status: 'completed',
			output: { price: '20' },
			output_errors: ["'price' must be number, not string"],
		});
	});
});
