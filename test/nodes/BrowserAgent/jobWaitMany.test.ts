import type { INodeParameters } from 'n8n-workflow';

import { CONTINUE } from '../../support/runNode';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();
const CONTINUED = { settings: CONTINUE };

function waiting(
	jobIds: INodeParameters[string],
	options: INodeParameters = {},
	more: Partial<SandboxRun> = {},
): SandboxRun {
	const parameters = { jobId: jobIds, options };
	return { resource: 'job', operation: 'wait', parameters, ...more };
}

describe("Job: Wait with several IDs in 'Job ID'", () => {
	// What a list can be is tested with `splitList` and `toJobIds`.
	it('takes the list of each input item from an expression, and pairs each job with its item', async () => {
		const [a = '', b = '', c = ''] = await service.givenJobs(
			['completed'],
			['completed'],
			['completed'],
		);

		const { items } = await service.run(
			waiting('={{ $json.jobs }}', {}, { input: [{ jobs: [a, b] }, { jobs: [c] }] }),
		);

		expect(items.map(({ json, pairedItem }) => [json.job_id, pairedItem])).toEqual([
			[a, { item: 0 }],
			[b, { item: 0 }],
			[c, { item: 1 }],
		]);
	});

	it('sees at once which jobs have already ended', async () => {
		const jobIds = await service.givenManyJobs(22, ['completed']);
		const began = service.clock.now();

		const { json } = await service.run(waiting(jobIds, { maxParallelJobs: 22 }));

		expect(json).toHaveLength(22);
		expect(service.clock.now() - began).toBeLessThan(1_000);
	});

	it('fails only the item of a job that was not found, with Continue On Fail', async () => {
		const [first = '', last = ''] = await service.givenJobs(['completed'], ['completed']);

		const { items, task } = await service.run(waiting([first, 'job_gone', last], {}, CONTINUED));

		expect(items.map(({ json }) => json.status ?? json.error)).toEqual([
			'completed',
			'Job job_gone was not found',
			'completed',
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(Array(3).fill({ item: 0 }));
		expect(task?.hints?.map(({ message }) => message)).toEqual(['3 jobs: 2 completed, 1 unknown.']);
	});

	it.each<[string, INodeParameters, number[]]>([
		['all of them at once', {}, [0, 1]],
		['as many at once as Max Parallel Jobs allows', { maxParallelJobs: 1 }, [0, 0]],
	])('waits for %s', async (_label, options, firstPolls) => {
		const jobIds = await service.givenJobs(['running', 'completed'], ['running', 'completed']);

		await service.run(waiting(jobIds, options));

		const polls = await service.sent('getJob');
		const polled = polls.map(({ jobId }) => jobIds.indexOf(jobId ?? ''));
		expect(polled.slice(0, 2)).toEqual(firstPolls);
	});

	// n8n itself pairs the items of an execution that was suspended, by their position.
	it('returns the items of all jobs in the order of the list after a suspended wait', async () => {
		const jobIds = await service.givenJobs({ durationSeconds: 150 }, ['completed'], {
			durationSeconds: 90,
			outcome: 'failed',
			error: 'A captcha',
		});

		const { engine, finished } = service.suspend(
			waiting(jobIds, { returnInsteadOfFailing: ['jobFailure'] }),
		);

		const { items } = await finished;

		expect(engine.subWorkflows).toBe(1);
		expect(items.map(({ json }) => [json.job_id, json.status])).toEqual([
			[jobIds[0], 'completed'],
			[jobIds[1], 'completed'],
			[jobIds[2], 'failed'],
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
	])(
		'is an error with Suspend While Waiting where n8n could not pair the results: %s',
		async (_label, more) => {
			const { engine, finished } = service.suspend(waiting('={{ $json.jobs }}', {}, more));

			const { error, errorItems } = await finished;

			expect(error?.message ?? errorItems[0]?.json.error).toBe(
				"'Suspend While Waiting' can't be used with several IDs in 'Job ID' if the node has several input items or an error output",
			);
			expect(engine.subWorkflows).toBe(0);
			expect(await service.requests()).toEqual([]);
		},
	);
});
