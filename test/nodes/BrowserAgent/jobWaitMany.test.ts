import type { INodeParameters } from 'n8n-workflow';

import { RETRY_ON_FAIL, toResult } from '../../support/runNode';
import { startSuspended } from '../../support/runSuspended';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';
import { waitFor } from '../../support/waitFor';

const service = useSandbox();
const CONTINUE = { settings: { onError: 'continueRegularOutput' as const } };
const MINUTE_MS = 60_000;
const UNLIMITED = { calls: 100_000, windowMs: MINUTE_MS };

function waiting(
	jobIds: INodeParameters[string],
	options: INodeParameters = {},
	more: Partial<SandboxRun> = {},
): SandboxRun {
	const parameters = { jobId: jobIds, options };
	return { resource: 'job', operation: 'wait', parameters, ...more };
}

async function givenJobs(...scripts: Array<Parameters<typeof service.givenJob>[0]>) {
	const jobIds: string[] = [];
	for (const script of scripts) jobIds.push(await service.givenJob(script));
	return jobIds;
}

describe("Job: Wait with several IDs in 'Job ID'", () => {
	it.each<[string, (jobIds: string[]) => INodeParameters[string]]>([
		['text with commas', (jobIds) => jobIds.join(', ')],
		['text with new lines and blank entries', (jobIds) => `\n${jobIds.join('\n,\n')}\n`],
		['an array', (jobIds) => jobIds],
		['JSON text', (jobIds) => JSON.stringify(jobIds.map((job_id) => ({ job_id })))],
		['duplicates', (jobIds) => [...jobIds, ...jobIds]],
	])('returns one item for each job, paired with its input item: %s', async (_label, toValue) => {
		const jobIds = await givenJobs(['running', 'completed'], ['completed']);

		const { items } = await service.run(waiting(toValue(jobIds), {}, { input: [{ row: 1 }] }));

		expect(items.map(({ json, pairedItem }) => [json.job_id, json.status, pairedItem])).toEqual(
			jobIds.map((jobId) => [jobId, 'completed', { item: 0 }]),
		);
	});

	it('takes the list of each input item from an expression, and pairs each job with its item', async () => {
		const [a = '', b = '', c = ''] = await givenJobs(['completed'], ['completed'], ['completed']);

		const { items } = await service.run(
			waiting('={{ $json.jobs }}', {}, { input: [{ jobs: [a, b] }, { jobs: [c] }] }),
		);

		expect(items.map(({ json, pairedItem }) => [json.job_id, pairedItem])).toEqual([
			[a, { item: 0 }],
			[b, { item: 0 }],
			[c, { item: 1 }],
		]);
	});

	it.each<[string, INodeParameters[string]]>([
		['blank', ' ,\n'],
		['an empty array', '={{ [] }}'],
		['an expression without a value', '={{ $json.nothing }}'],
		['an array of blanks', '={{ ["", null] }}'],
	])('is refused when it is %s', async (_label, jobIds) => {
		const { error } = await service.run(waiting(jobIds));

		expect(error?.message).toBe("'Job ID' is empty");
		expect(await service.requests()).toEqual([]);
	});

	it('takes the polling_url of a start for its ID', async () => {
		const { json } = await service.runAgent({ waitUntilFinished: false });

		const { items } = await service.run(waiting(json[0]?.polling_url as string));

		expect(items.map((item) => item.json.job_id)).toEqual([json[0]?.job_id]);
	});

	it.each<[string, INodeParameters[string], string]>([
		['a space within an ID', ['job_1', 'job 2'], 'an entry that is not a job ID: number 2'],
		['a path', 'job_1,../job_2', 'an entry that is not a job ID: number 2'],
		['an object', '={{ [{ job_id: { id: 1 } }] }}', 'an entry that is not a job ID: number 1'],
		['too many jobs', '={{ Array.from(Array(10001).keys()) }}', 'more than 10000 jobs'],
	])('sends nothing for any job when one entry is invalid: %s', async (_label, jobIds, words) => {
		const { error } = await service.run(waiting(jobIds));

		expect(error?.message).toBe(`'Job ID' contains ${words}`);
		expect(error?.context.itemIndex).toBe(0);
		expect(await service.requests()).toEqual([]);
	});

	it('fails alone, with Continue On Fail, for a job that was not found', async () => {
		const [first = '', last = ''] = await givenJobs(['completed'], ['completed']);

		const { items, task } = await service.run(waiting([first, 'job_gone', last], {}, CONTINUE));

		expect(items.map(({ json }) => json.status ?? json.error)).toEqual([
			'completed',
			'Job job_gone was not found',
			'completed',
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(Array(3).fill({ item: 0 }));
		expect(task?.hints?.map(({ message }) => message)).toEqual(['3 jobs: 2 completed, 1 unknown.']);
	});

	it('fails with the error of the job that failed, named with its input item', async () => {
		const jobIds = await givenJobs(['running'], { statuses: ['failed'], error: 'A captcha' });

		const { error } = await service.run(waiting(jobIds));

		expect(error).toMatchObject({
			message: `Job ${jobIds[1]} failed: A captcha`,
			context: { itemIndex: 0 },
		});
	});

	it('waits for as many jobs at a time as Max Parallel Jobs says', async () => {
		const jobIds = await givenJobs(['running', 'completed'], ['running', 'completed']);

		await service.run(waiting(jobIds, { maxParallelJobs: 1 }));

		const polled = (await service.requests()).map(({ path }) => path.split('/').at(-1));
		expect(polled).toEqual([jobIds[0], jobIds[0], jobIds[1], jobIds[1]]);
	});

	it('pauses every job when the wait ends early and that is wanted', async () => {
		const jobIds = await givenJobs(['running'], ['running']);

		const { items } = await service.run(
			waiting(jobIds, { maxWaitMinutes: 0.1, pauseWhenAbandoned: true }, CONTINUE),
		);

		expect(items.map(({ json }) => json.details)).toMatchObject(
			jobIds.map((job_id) => ({ job_id, status: 'paused' })),
		);
	});

	it('pauses every job when it is stopped and that is wanted', async () => {
		const jobIds = await givenJobs(['running'], ['running']);
		const execution = service.start(waiting(jobIds, { pauseWhenAbandoned: true }));
		await waitFor(async () => expect((await service.requests()).length).toBeGreaterThan(1));

		execution.stop();
		await toResult(execution.finished);

		await waitFor(async () => {
			const jobs = await service.admin.jobs();
			expect(jobs.map(({ status }) => status)).toEqual(['paused', 'paused']);
		});
	});

	it('asks in a further try only for those jobs whose end was not seen', async () => {
		const [done = '', slow = ''] = await givenJobs(['completed'], ['running']);
		await service.admin.fault({
			endpoint: 'getJob',
			jobId: slow,
			kind: 'status',
			status: 403,
			skip: 1,
		});

		const { items } = await service.run(
			waiting(
				[done, slow],
				{ maxWaitMinutes: 1, onTimeout: 'return' },
				{ settings: RETRY_ON_FAIL },
			),
		);

		const requests = await service.requests();
		expect(items.map(({ json }) => [json.job_id, json.status])).toEqual([
			[done, 'completed'],
			[slow, 'running'],
		]);
		expect(requests.filter(({ path }) => path.endsWith(done))).toHaveLength(1);
	});

	// n8n itself pairs the items of an execution that was suspended, by their position.
	it('can be suspended: returns the items of all jobs in the order of the list', async () => {
		const jobIds = await givenJobs({ durationSeconds: 150 }, ['completed'], {
			durationSeconds: 90,
			outcome: 'failed',
			error: 'A captcha',
		});

		const { engine, finished } = startSuspended({
			baseUrl: service.url,
			...waiting(jobIds, { onUnsuccessful: 'return' }),
		});
		const { items } = await finished;

		expect(engine.subWorkflows).toBe(1);
		expect(items.map(({ json }) => [json.job_id, json.status])).toEqual([
			[jobIds[0], 'completed'],
			[jobIds[1], 'completed'],
			[jobIds[2], 'failed'],
		]);
	});

	it('can be suspended with Continue On Fail: returns the error of the job that failed', async () => {
		const [good = '', bad = ''] = await givenJobs(
			{ durationSeconds: 90 },
			{ durationSeconds: 90, outcome: 'failed', error: 'A captcha' },
		);

		const { finished } = startSuspended({
			baseUrl: service.url,
			...waiting([good, bad], {}, CONTINUE),
		});
		const { items } = await finished;

		expect(items.map(({ json }) => json.job_id ?? json.error)).toEqual([
			good,
			`Job ${bad} failed: A captcha`,
		]);
	});

	it.each<[string, Partial<SandboxRun>]>([
		['several input items', { input: [{ jobs: ['job_1', 'job_2'] }, { jobs: ['job_3'] }] }],
		[
			'the error output',
			{
				input: [{ jobs: ['job_1', 'job_2'] }],
				settings: { onError: 'continueErrorOutput', retryOnFail: false },
			},
		],
	])('is not suspended where n8n could not pair the results: %s', async (_label, more) => {
		const { engine, finished } = startSuspended({
			baseUrl: service.url,
			...waiting('={{ $json.jobs }}', {}, more),
		});
		const { error, errorItems } = await finished;

		expect(error?.message ?? errorItems[0]?.json.error).toBe(
			"'Suspend While Waiting' is not possible with several IDs in 'Job ID' here",
		);
		expect(engine.subWorkflows).toBe(0);
		expect(await service.requests()).toEqual([]);
	});

	it('can be suspended for several input items with one job each', async () => {
		const jobIds = await givenJobs({ durationSeconds: 90 }, { durationSeconds: 150 });

		const { engine, finished } = startSuspended({
			baseUrl: service.url,
			...waiting('={{ $json.job }}', {}, { input: jobIds.map((job) => ({ job })) }),
		});
		const { items } = await finished;

		expect(engine.subWorkflows).toBe(1);
		expect(items.map(({ json, pairedItem }) => [json.job_id, pairedItem])).toEqual([
			[jobIds[0], { item: 0, input: undefined }],
			[jobIds[1], { item: 1, input: undefined }],
		]);
	});

	it('takes hundreds of jobs of one item', async () => {
		setServiceLimits({ start: UNLIMITED, status: UNLIMITED, balance: UNLIMITED });
		await service.admin.setLimits('off');
		const unknown = Array.from({ length: 500 }, (_, number) => `job_${number}`);

		const { items } = await service.run(waiting(unknown, { maxParallelJobs: 100 }, CONTINUE));

		expect(items).toHaveLength(500);
		expect(items[499]?.json.error).toBe('Job job_499 was not found');
	});
});
