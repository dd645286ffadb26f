import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { generatedBytes } from '../../../dev/sandbox/generatedBytes';
import { createPollHost, eventsOf } from '../../support/pollNode';
import { showsJob, stubJobs } from '../../support/stubNetwork';
import { hashOf, useBinaryData } from '../../support/useBinaryData';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();
const stored = useBinaryData('filesystem');

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
		await service.clock.sleep(100_000);

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

	it('emits the wall-clock time at which the event was detected', async () => {
		const before = Date.now();
		const { respond } = stubJobs(showsJob('completed'));

		const [item] = await createPollHost(service, { jobIds: 'job_1' }, { respond }).publish();

		const detectedAt = Date.parse(String(item?.json.detected_at));
		expect(detectedAt).toBeGreaterThanOrEqual(before);
		expect(detectedAt).toBeLessThanOrEqual(Date.now());
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

	it.each([
		['cancelled', 'canceled'],
		['CANCELED', 'canceled'],
		['Completed', 'completed'],
	])('emits a job with the status %s as %s', async (sent, status) => {
		const jobId = await service.givenJob([sent]);

		expect(eventsOf(await firstPoll(jobId))).toEqual([[jobId, status]]);
	});
});

describe("BrowserAgentTrigger with 'Trigger On'", () => {
	it('emits a pause when it is chosen, of a job that is not finished', async () => {
		const jobId = await service.givenJob(['paused']);

		const items = await firstPoll(jobId, { triggerOn: ['paused'] });

		expect(eventsOf(items)).toEqual([[jobId, 'paused']]);
		expect(items[0]?.json.is_finished).toBe(false);
	});

	it('is not published with nothing chosen', async () => {
		const publishing = firstPoll('job_1', { triggerOn: [] });

		await expect(publishing).rejects.toThrow("'Trigger On' is empty");
		expect(await service.requests()).toEqual([]);
	});
});

describe("BrowserAgentTrigger with 'Simplify'", () => {
	it.each<[string, boolean | string]>([
		['off', false],
		['"false" from an expression', '={{ "false" }}'],
	])("shows the service's own response when it is %s", async (_label, simplify) => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done' });

		const [item] = await firstPoll(jobId, { simplify });

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

describe("BrowserAgentTrigger with 'Download Files'", () => {
	const options = { downloadFiles: true };

	it("attaches the finished job's files, whole, and lists them", async () => {
		const jobId = await service.givenJob({
			statuses: ['completed'],
			files: [
				{ filename: 'report.pdf', sizeBytes: 300_000 },
				{ filename: 'prices.csv', content: 'a,b\n' },
			],
		});

		const [item] = await firstPoll(jobId, { options });

		expect(item?.json.files).toEqual([
			{
				filename: 'report.pdf',
				size_bytes: 300_000,
				mime_type: 'application/pdf',
				binary_property: 'file_0',
			},
			{
				filename: 'prices.csv',
				size_bytes: 4,
				mime_type: 'text/csv',
				binary_property: 'file_1',
			},
		]);
		expect(item?.json).not.toHaveProperty('files_error');
		expect(await stored.hashes(item)).toEqual({
			file_0: hashOf(generatedBytes(300_000)),
			file_1: hashOf(['a,b\n']),
		});
	});

	it('emits a job once with its other files when one is not available', async () => {
		const jobId = await service.givenJob({
			statuses: ['completed'],
			files: [
				{ filename: 'gone.pdf', downloadUrl: `${service.url}/nowhere` },
				{ filename: 'there.txt', content: 'There' },
			],
		});
		const host = createPollHost(service, { jobIds: jobId, options });

		const [item] = await host.publish();

		expect(item?.json).toMatchObject({
			job_id: jobId,
			status: 'completed',
			files: [{ filename: 'there.txt', binary_property: 'file_0' }],
			files_error: `File 'gone.pdf' of job ${jobId} could not be downloaded: HTTP 404`,
		});
		expect((await stored.read(item?.binary?.file_0)).toString()).toBe('There');
		expect(await host.tick()).toEqual([]);
	});

	it('emits a job whose files cannot be listed', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done' });
		await service.admin.fault({
			endpoint: 'getJobFiles',
			kind: 'status',
			status: 500,
			times: 'always',
		});

		const [item] = await firstPoll(jobId, { options });

		expect(item?.json).toMatchObject({
			output: 'Done',
			files_error: `Job ${jobId}: The service failed to process the request (HTTP 500)`,
		});
	});

	it.each<[string, string, INodeParameters]>([
		['a job that is not finished', 'paused', { options, triggerOn: ['paused'] }],
		[
			'any job when it is "false" from an expression',
			'completed',
			{ options: { downloadFiles: '={{ "false" }}' } },
		],
	])('does not list the files of %s', async (_label, status, parameters) => {
		const jobId = await service.givenJob([status]);

		const [item] = await firstPoll(jobId, parameters);

		expect(item?.json).not.toHaveProperty('files');
		expect(await service.requests({ endpoint: 'getJobFiles' })).toEqual([]);
	});
});

describe('BrowserAgentTrigger with an output schema', () => {
	const withSchema = { outputFormat: 'example', outputExample: '{"price": 5}' };

	it('emits an output that does not match as it came, with the mismatches', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: { price: '20' } });

		const [item] = await firstPoll(jobId, withSchema);

		expect(item?.json).toMatchObject({
			status: 'completed',
			output: { price: '20' },
			output_errors: ["'price' must be number, not string"],
		});
	});

	it('can not be published with a schema that can not be used', async () => {
		const published = firstPoll('job_1', {
			outputFormat: 'schema',
			outputSchema: '{"nullable": true}',
		});

		await expect(published).rejects.toThrow("can't be used: 'nullable' is not allowed");
	});
});
