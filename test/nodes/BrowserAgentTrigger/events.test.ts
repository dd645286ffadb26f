import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { generatedBytes } from '../../../dev/sandbox/generatedBytes';
import { createPollHost, eventsOf } from '../../support/pollNode';
import { hashOf, useBinaryData } from '../../support/useBinaryData';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();
const stored = useBinaryData('filesystem');

/** What the first poll tells of a job. */
async function firstPoll(
	jobIds: string,
	parameters: INodeParameters = {},
): Promise<INodeExecutionData[]> {
	return await createPollHost(service, { jobIds, ...parameters }).publish();
}

describe('an event', () => {
	it('is the job as the action node shows it, and when its status was seen', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: 'Done' });

		const items = await firstPoll(jobId);

		expect(items).toEqual([
			{
				json: {
					job_id: jobId,
					status: 'completed',
					output: 'Done',
					credits_used: 20,
					live_url: expect.stringContaining('view=live'),
					history_url: expect.stringContaining('http'),
					is_finished: true,
					detected_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
				},
			},
		]);
	});

	it.each(['completed', 'failed', 'user_taken_over', 'canceled'])(
		'starts the workflow when a job is %s',
		async (status) => {
			const jobId = await service.givenJob(['running', status]);
			const host = createPollHost(service, { jobIds: jobId });

			expect(await host.publish()).toEqual([]);
			const items = await host.tick();

			expect(eventsOf(items)).toEqual([[jobId, status]]);
			expect(items[0]?.json.is_finished).toBe(true);
		},
	);

	it('has one spelling for a job that is cancelled', async () => {
		const jobId = await service.givenJob(['cancelled']);

		expect(eventsOf(await firstPoll(jobId))).toEqual([[jobId, 'canceled']]);
	});

	it("carries the job's reason under job_error, and nothing under error", async () => {
		const jobId = await service.givenJob({ statuses: ['failed'], error: 'A captcha' });

		const [item] = await firstPoll(jobId);

		expect(item?.json.job_error).toBe('A captcha');
		expect(item?.json).not.toHaveProperty('error');
	});

	it('is told of a job that ended before the workflow was published', async () => {
		const jobId = await service.givenJob({ durationSeconds: 1 });
		await service.admin.advance(3_600);

		expect(eventsOf(await firstPoll(jobId))).toEqual([[jobId, 'completed']]);
	});

	it('is not made of a status on the way, nor of one nobody knows', async () => {
		const jobId = await service.givenJob(['provisioning', 'running', 'queued', 'completed']);
		const host = createPollHost(service, { jobIds: jobId });

		const ticks = [await host.publish(), await host.tick(), await host.tick(), await host.tick()];

		expect(ticks.map(eventsOf)).toEqual([[], [], [], [[jobId, 'completed']]]);
	});

	it('starts one execution together with the other news of its poll, in the order of the list', async () => {
		const jobIds = [
			await service.givenJob(['failed']),
			await service.givenJob(['running']),
			await service.givenJob(['completed']),
		];
		const host = createPollHost(service, { jobIds: jobIds.join() });

		await host.publish();

		expect(host.executions.map(eventsOf)).toEqual([
			[
				[jobIds[0], 'failed'],
				[jobIds[2], 'completed'],
			],
		]);
	});

	it('says of a job that the service does not know that it is not found', async () => {
		const items = await firstPoll('job_gone');

		expect(items).toEqual([
			{
				json: {
					job_id: 'job_gone',
					status: 'not_found',
					is_finished: false,
					detected_at: expect.any(String),
				},
			},
		]);
	});
});

describe('Trigger On', () => {
	it('leaves out a pause unless it is chosen', async () => {
		const jobId = await service.givenJob(['paused']);

		expect(await firstPoll(jobId)).toEqual([]);
	});

	it('tells of a pause when it is chosen, as of a job that is not finished', async () => {
		const jobId = await service.givenJob(['paused']);

		const items = await firstPoll(jobId, { triggerOn: ['paused'] });

		expect(eventsOf(items)).toEqual([[jobId, 'paused']]);
		expect(items[0]?.json.is_finished).toBe(false);
	});

	it('leaves out everything that is not chosen', async () => {
		const done = await service.givenJob(['completed']);
		const failed = await service.givenJob(['failed']);

		const items = await firstPoll(`${done} ${failed} job_gone`, { triggerOn: ['failed'] });

		expect(eventsOf(items)).toEqual([[failed, 'failed']]);
	});

	it('can come from an expression that gives a single event', async () => {
		const jobId = await service.givenJob(['failed']);

		const items = await firstPoll(jobId, { triggerOn: '={{ "failed" }}' });

		expect(eventsOf(items)).toEqual([[jobId, 'failed']]);
	});

	it.each<[string, string[] | string]>([
		['nothing is chosen', []],
		['an expression gives nothing it knows', '={{ ["done"] }}'],
	])('keeps the workflow from being published when %s', async (_label, triggerOn) => {
		const publishing = firstPoll('job_1', { triggerOn });

		await expect(publishing).rejects.toMatchObject({
			message: "'Trigger On' is empty",
			failure: { cause: 'configuration-invalid' },
		});
		expect(await service.requests()).toEqual([]);
	});
});

describe('Simplify = off', () => {
	it("puts the service's own answer, whole, under response", async () => {
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

describe('Parse JSON Output', () => {
	it.each([
		['bare', '{"price": 12}'],
		['in a code fence', '```json\n{"price": 12}\n```'],
	])('makes an object of JSON that is %s', async (_label, output) => {
		const jobId = await service.givenJob({ statuses: ['completed'], output });

		const [item] = await firstPoll(jobId, { options: { parseJsonOutput: true } });

		expect(item?.json.output).toEqual({ price: 12 });
	});

	it('leaves the text alone when it is off', async () => {
		const jobId = await service.givenJob({ statuses: ['completed'], output: '{"price": 12}' });

		const [item] = await firstPoll(jobId);

		expect(item?.json.output).toBe('{"price": 12}');
	});
});

describe('Download Files', () => {
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

	it('says with an empty list that the job has no files', async () => {
		const jobId = await service.givenJob(['completed']);

		const [item] = await firstPoll(jobId, { options });

		expect(item?.json.files).toEqual([]);
	});

	it('tells of the job all the same when a file is not to be had, with the others', async () => {
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
			files_error: `File 'gone.pdf' of job ${jobId}: it is not available (HTTP 404)`,
		});
		expect((await stored.read(item?.binary?.file_0)).toString()).toBe('There');
		expect(await host.tick()).toEqual([]);
	});

	it('tells of the job all the same when its files cannot be listed', async () => {
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

	it('gives up files for which the poll has no time left, and says so', async () => {
		const jobId = await service.givenJob({
			statuses: ['completed'],
			files: [{ filename: 'slow.bin', sizeBytes: 1_000 }],
		});
		await service.admin.fault({ endpoint: 'file', kind: 'stall', times: 'always' });
		const host = createPollHost(
			service,
			{ jobIds: jobId, options },
			{ engine: 'durable', pollBudgetMs: 20_000 },
		);

		const [item] = await host.publish();

		expect(item?.json).toMatchObject({ job_id: jobId, status: 'completed' });
		expect(item?.json.files_error).toBe(
			`File 'slow.bin' of job ${jobId}: there was no time left in this poll`,
		);
		expect(stored.inFolder()).toEqual([]);
	});

	it('asks for no files of a job that is not finished', async () => {
		const jobId = await service.givenJob(['paused']);

		const [item] = await firstPoll(jobId, { options, triggerOn: ['paused'] });

		expect(item?.json).not.toHaveProperty('files');
		expect(await service.requests({ endpoint: 'getJobFiles' })).toEqual([]);
	});
});
