import type { INodeParameters } from 'n8n-workflow';

import { steadyClock } from '../../support/steadyClock';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';
import { setClock } from '../../support/testRuntime';

const service = useSandbox();

async function waitForJob(parameters: INodeParameters = {}, more: Partial<SandboxRun> = {}) {
	return await service.run({ resource: 'job', operation: 'wait', parameters, ...more });
}

describe('Job: Wait', () => {
	it('asks for the job whose ID comes with the item until it is finished', async () => {
		const jobId = await service.givenJob({
			statuses: ['provisioning', 'running', 'completed'],
			output: 'Done',
		});

		const { items } = await waitForJob({}, { input: [{ job_id: jobId }] });

		const requests = await service.requests();
		expect(requests.map(({ path }) => path)).toEqual(Array(3).fill(`/v1/get_job_status/${jobId}`));
		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					status: 'completed',
					output: 'Done',
					credits_used: 20,
					live_url: expect.stringContaining('view=live'),
					history_url: expect.stringContaining('http'),
					duration_seconds: expect.any(Number),
					is_finished: true,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('returns a job that is finished already at the first look', async () => {
		const jobId = await service.givenJob(['completed']);

		const { items } = await waitForJob({ jobId });

		expect(await service.requests()).toHaveLength(1);
		expect(items[0]?.json.status).toBe('completed');
	});

	it("tells by the service's own times how long the job took", async () => {
		const jobId = await service.givenJob({ durationSeconds: 100 });
		await service.admin.advance(3_600);

		const { items } = await waitForJob({ jobId });

		expect(items[0]?.json.duration_seconds).toBe(100);
	});

	it('tells how long it has waited when the service gives no times', async () => {
		const jobId = await service.givenJob({
			statuses: ['running', 'completed'],
			omitFields: ['created_at', 'updated_at'],
		});

		const { items } = await waitForJob({ jobId, options: { pollIntervalSeconds: 5 } });

		expect(items[0]?.json.duration_seconds).toBeGreaterThanOrEqual(5);
	});

	it("holds the service's last answer whole when Simplify is off", async () => {
		const jobId = await service.givenJob(['running', 'completed']);

		const { items } = await waitForJob({ jobId, simplify: false });

		expect(items[0]?.json).toEqual({
			job_id: jobId,
			status: 'completed',
			response: expect.objectContaining({ status: 'completed', job_id: jobId }),
		});
	});

	it('fails with the reason of a job that failed', async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const { error, items } = await waitForJob({ jobId });

		expect(error).toMatchObject({
			message: `Job ${jobId} failed: A captcha`,
			context: { itemIndex: 0, jobIds: [jobId] },
		});
		expect(items).toEqual([]);
	});

	it('ends at once at a job that the service does not know', async () => {
		const { error } = await waitForJob({ jobId: 'job_gone' });

		expect(error?.message).toBe('Job job_gone was not found');
		expect(await service.requests()).toHaveLength(1);
	});

	it('waits for 60 minutes when Max Wait Minutes is not set', async () => {
		setClock(steadyClock(6_000));
		await service.admin.setLimits({ limits: 'off' });
		const jobId = await service.givenJob(['running']);

		const { error } = await waitForJob({ jobId });

		expect(error?.message).toContain(`Job ${jobId} `);
		expect(error?.message).toMatch(/ 60 minutes$/);
	});
});
