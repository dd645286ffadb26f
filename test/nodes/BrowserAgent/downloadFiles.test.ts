import type { INodeParameters } from 'n8n-workflow';

import { generatedBytes } from '../../../dev/sandbox/generatedBytes';
import type { FileScript, JobScript } from '../../../dev/sandbox/types';
import { waitFor } from '../../support/waitFor';
import { RETRY_ON_FAIL } from '../../support/runNode';
import { steadyClock } from '../../support/steadyClock';
import { BINARY_MODES, hashOf, useBinaryData } from '../../support/useBinaryData';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';
import { setClock } from '../../support/testRuntime';

const service = useSandbox();
const host = useServer();

// Slower than elsewhere, so that a busy machine is not taken for a host that has fallen silent.
beforeEach(() => setClock(steadyClock(20)));

const REPORT: FileScript = { filename: 'report.pdf', sizeBytes: 300_000 };
const PRICES: FileScript = { filename: 'prices.csv', content: 'a,b\n' };

/** The next job goes like this, and has these files. */
async function nextJob(files: FileScript[], script: Partial<JobScript> = {}): Promise<void> {
	await service.admin.nextJob({ statuses: ['running', 'completed'], files, ...script });
}

const withFiles = (options: INodeParameters = {}): INodeParameters => ({
	options: { downloadFiles: true, ...options },
});

async function failFiles(fault: FaultCase): Promise<void> {
	await service.admin.fault({ endpoint: 'file', ...fault });
}

describe.each(BINARY_MODES)('Download Files, with files kept in %s,', (mode) => {
	const stored = useBinaryData(mode);

	it("attaches the finished job's files, whole, and lists them", async () => {
		await nextJob([REPORT, PRICES]);

		const { items } = await service.runAgent(withFiles());

		expect(items[0]?.json).toMatchObject({ status: 'completed', is_finished: true });
		expect(items[0]?.json.files).toEqual([
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
		expect(await stored.hashes(items[0])).toEqual({
			file_0: hashOf(generatedBytes(300_000)),
			file_1: hashOf(['a,b\n']),
		});
		expect(stored.inFolder()).toHaveLength(mode === 'filesystem' ? 4 : 0);
	});

	it('fetches a file from its start again when it breaks off', async () => {
		await nextJob([REPORT]);
		await failFiles({ kind: 'truncate', times: 2 });

		const { items } = await service.runAgent(withFiles());

		expect(await stored.hashes(items[0])).toEqual({ file_0: hashOf(generatedBytes(300_000)) });
	});

	it('stores no part of a file that cannot be downloaded completely', async () => {
		await nextJob([REPORT]);
		await failFiles({ kind: 'truncate', times: 'always' });

		const { error } = await service.runAgent(withFiles());

		const [job] = await service.admin.jobs();
		expect(error?.message).toContain(`File 'report.pdf' of job ${job?.job_id}: `);
		expect(stored.inFolder()).toEqual([]);
	});

	it('ends within a second of a Stop, and leaves nothing half written', async () => {
		await nextJob([{ ...REPORT, sizeBytes: 4_000_000 }], { statuses: ['completed'] });
		await failFiles({ kind: 'stall', times: 'always' });
		const execution = service.startAgent(withFiles());
		await waitFor(async () => {
			expect(await service.requests({ endpoint: 'file' })).not.toEqual([]);
			expect(stored.inFolder()).toHaveLength(mode === 'filesystem' ? 1 : 0);
		});

		const stoppedAt = performance.now();
		execution.stop();
		const { status } = await execution.finished;

		expect(performance.now() - stoppedAt).toBeLessThan(1_000);
		expect(status).toBe('canceled');
		await waitFor(() => expect(stored.inFolder()).toEqual([]), 1_000);
	});
});

describe('Download Files', () => {
	const stored = useBinaryData('memory');

	it.each<[string, (options: INodeParameters) => Promise<SandboxRun>]>([
		[
			'Agent: Run',
			async (parameters) => {
				await nextJob([PRICES]);
				return {
					resource: 'agent',
					operation: 'run',
					parameters: { directive: 'Go', ...parameters },
				};
			},
		],
		[
			'Workflow: Run',
			async (parameters) => {
				await nextJob([PRICES]);
				return {
					resource: 'workflow',
					operation: 'run',
					parameters: { workflowId: 'wf_daily_report', ...parameters },
				};
			},
		],
		[
			'Job: Wait',
			async (parameters) => ({
				resource: 'job',
				operation: 'wait',
				parameters: {
					jobId: await service.givenJob({
						statuses: ['running', 'completed'],
						files: [PRICES],
					}),
					...parameters,
				},
			}),
		],
	])('is an option of %s', async (_label, runWith) => {
		const { items } = await service.run(await runWith(withFiles()));

		expect(items[0]?.json.files).toMatchObject([{ filename: 'prices.csv' }]);
		expect((await stored.read(items[0]?.binary?.file_0)).toString()).toBe('a,b\n');
	});

	it('asks for no files when it is off', async () => {
		await nextJob([REPORT]);

		const { items } = await service.runAgent();

		expect(items[0]?.json).not.toHaveProperty('files');
		expect(items[0]).not.toHaveProperty('binary');
		expect(await service.requests({ endpoint: 'getJobFiles' })).toEqual([]);
	});

	it('says with an empty list that the job has no files', async () => {
		await nextJob([]);

		const { items } = await service.runAgent(withFiles());

		expect(items[0]?.json.files).toEqual([]);
		expect(items[0]?.binary ?? {}).toEqual({});
	});

	it("lists the files beside the service's own answer when Simplify is off", async () => {
		await nextJob([PRICES]);

		const { items } = await service.runAgent({ ...withFiles(), simplify: false });

		expect(items[0]?.json).toMatchObject({
			response: { status: 'completed' },
			files: [{ filename: 'prices.csv', binary_property: 'file_0' }],
		});
	});

	it('attaches what a job has left that did not succeed', async () => {
		await nextJob([PRICES], { statuses: ['failed'] });

		const { items } = await service.runAgent(withFiles({ onUnsuccessful: 'return' }));

		expect(items[0]?.json).toMatchObject({
			status: 'failed',
			files: [{ filename: 'prices.csv' }],
		});
	});

	it.each<[string, INodeParameters, Partial<JobScript>]>([
		['paused', { onPaused: 'return' }, { statuses: ['paused'] }],
		['still running', { onTimeout: 'return', maxWaitMinutes: 0.01 }, { statuses: ['running'] }],
	])('asks for no files of a job that is %s', async (_label, options, script) => {
		await nextJob([PRICES], script);

		const { items } = await service.runAgent(withFiles(options));

		expect(items[0]?.json.is_finished).toBe(false);
		expect(items[0]?.json).not.toHaveProperty('files');
		expect(await service.requests({ endpoint: 'getJobFiles' })).toEqual([]);
	});

	it('attaches to each item the files of its own job', async () => {
		const contents = ['one', 'two', 'three'];
		await service.admin.nextJobs(
			contents.map((content) => ({
				match: content,
				statuses: ['running', 'completed'],
				files: [{ filename: 'a.txt', content }],
			})),
		);

		const { items } = await service.runAgent(
			{ ...withFiles(), directive: '={{ $json.what }}' },
			{ input: contents.map((what) => ({ what })) },
		);

		const texts = await Promise.all(
			items.map(async ({ binary }) => (await stored.read(binary?.file_0)).toString()),
		);
		expect(texts).toEqual(contents);
	});

	it('names files differently, and gives each its own content when links have expired', async () => {
		await nextJob([
			{ filename: 'a.txt', content: 'First' },
			{ filename: 'a.txt', content: 'Second' },
		]);
		await failFiles({ kind: 'status', status: 410, times: 2 });

		const { items } = await service.runAgent(withFiles());

		expect(items[0]?.json.files).toMatchObject([
			{ filename: 'a.txt', binary_property: 'file_0' },
			{ filename: 'a (2).txt', binary_property: 'file_1' },
		]);
		expect((await stored.read(items[0]?.binary?.file_0)).toString()).toBe('First');
		expect((await stored.read(items[0]?.binary?.file_1)).toString()).toBe('Second');
	});

	describe('that fails after the job has completed', () => {
		it('names job and file, and says how to get at the files', async () => {
			host.answers({ statusCode: 500 });
			await nextJob([PRICES, { filename: 'gone.pdf', downloadUrl: host.url }]);

			const { error, items } = await service.runAgent(withFiles());

			const [job] = await service.admin.jobs();
			expect(error).toMatchObject({
				message: `File 'gone.pdf' of job ${job?.job_id}: it is not available (HTTP 500)`,
				description: expect.stringMatching(
					/^The job itself has finished\. Get its files with Job File: Download; don't start it again\./,
				),
				context: { jobIds: [job?.job_id] },
			});
			expect(items).toEqual([]);
		});

		it('names the job when its files cannot be listed', async () => {
			await nextJob([PRICES]);
			await service.admin.fault({
				endpoint: 'getJobFiles',
				kind: 'status',
				status: 500,
				times: 'always',
			});

			const { error } = await service.runAgent(withFiles());

			const [job] = await service.admin.jobs();
			expect(error).toMatchObject({
				message: expect.stringContaining(`Job ${job?.job_id}: `),
				description: expect.stringContaining("don't start it again"),
			});
		});

		it.each<[string, FaultCase & { endpoint: 'file' | 'getJobFiles' }]>([
			['a file', { endpoint: 'file', kind: 'status', status: 400 }],
			['the list', { endpoint: 'getJobFiles', kind: 'status', status: 500 }],
		])(
			'never starts a second job with Retry On Fail, and gets %s at the next try',
			async (_label, fault) => {
				await nextJob([PRICES]);
				await service.admin.fault(fault);

				const { items, status } = await service.runAgent(withFiles(), { settings: RETRY_ON_FAIL });

				expect(status).toBe('success');
				expect((await stored.read(items[0]?.binary?.file_0)).toString()).toBe('a,b\n');
				expect((await service.admin.counters()).starts).toBe(1);
			},
		);

		it('never starts a second job, however often it fails', async () => {
			await nextJob([PRICES]);
			await failFiles({ kind: 'status', status: 409, times: 'always' });

			const { error } = await service.runAgent(withFiles(), { settings: RETRY_ON_FAIL });

			expect(error?.message).toContain("File 'prices.csv' of job ");
			expect((await service.admin.counters()).starts).toBe(1);
			expect(await service.requests({ endpoint: 'file' })).toHaveLength(3);
		});

		it('is an item with error with Continue On Fail, beside the others', async () => {
			host.answers({ statusCode: 404 });
			await service.admin.nextJobs([
				{
					match: 'one',
					statuses: ['completed'],
					files: [{ filename: 'a', downloadUrl: host.url }],
				},
				{ match: 'two', statuses: ['completed'], files: [PRICES] },
			]);

			const { items } = await service.runAgent(
				{ ...withFiles(), directive: '={{ $json.what }}' },
				{
					input: [{ what: 'one' }, { what: 'two' }],
					settings: { onError: 'continueRegularOutput' },
				},
			);

			expect(items[0]?.json.error).toMatch(/^File 'a' of job job_\w+: it is not available/);
			expect(items[1]?.json).toMatchObject({ files: [{ filename: 'prices.csv' }] });
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		});
	});
});
