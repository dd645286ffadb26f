import type { INodeParameters } from 'n8n-workflow';

import { generatedBytes } from '../../../dev/sandbox/generatedBytes';
import type { EndpointName, FileScript, JobScript } from '../../../dev/sandbox/types';
import { hintsIn } from '../../support/hintsIn';
import { RETRY_ON_FAIL } from '../../support/runNode';
import { hashOf, useBinaryData } from '../../support/useBinaryData';
import { useSandbox, type FaultCase } from '../../support/useSandbox';

// How files are downloaded and stored is tested with Job File: Download.
const service = useSandbox();
const stored = useBinaryData('filesystem');

const REPORT: FileScript = { filename: 'report.pdf', sizeBytes: 300_000 };
const PRICES: FileScript = { filename: 'prices.csv', content: 'a,b\n' };

/** The next job goes like this, and has these files. */
async function nextJob(files: FileScript[], script: Partial<JobScript> = {}): Promise<void> {
	await service.admin.nextJob({ statuses: ['running', 'completed'], files, ...script });
}

const withFiles = (options: INodeParameters = {}): INodeParameters => ({
	options: { downloadFiles: true, ...options },
});

describe('Download Files', () => {
	it("attaches the finished job's files, whole, and lists them", async () => {
		await nextJob([REPORT, PRICES]);

		const { items, json } = await service.runAgent(withFiles());

		expect(json[0]).toMatchObject({ status: 'completed', is_finished: true });
		expect(json[0]?.files).toEqual([
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
		expect(stored.inFolder()).toHaveLength(4);
	});

	it('returns a finished job without files if the service does not know its list', async () => {
		await nextJob([PRICES]);
		await service.fault('getJobFiles', 404, { times: 'always' });

		const { json } = await service.runAgent(withFiles());

		expect(json).toMatchObject([{ status: 'completed', is_finished: true, files: [] }]);
	});

	it.each<[string, FaultCase]>([
		['answers with 404', { kind: 'status', status: 404 }],
		['says that it failed', { kind: 'body', body: { status: 'error', message: 'Busy' } }],
	])('reads the list once more after two seconds when it %s', async (_label, fault) => {
		await nextJob([PRICES]);
		await service.fault('getJobFiles', fault);

		const { json, task } = await service.runAgent(withFiles());

		const [first, second] = await service.sent('getJobFiles');
		expect((second?.sandboxMs ?? 0) - (first?.sandboxMs ?? 0)).toBe(2_000);
		expect(json[0]?.files).toMatchObject([{ filename: PRICES.filename }]);
		expect(hintsIn(task)).toEqual([]);
	});

	it('attaches the files of a job that failed', async () => {
		const jobId = await service.givenJob({ files: [PRICES], statuses: ['failed'] });

		const options = { downloadFiles: true, returnInsteadOfFailing: ['jobFailure'] };
		const { json } = await service.waitForJob(jobId, options);

		expect(json[0]).toMatchObject({ status: 'failed', files: [{ filename: 'prices.csv' }] });
	});

	const TIMED_OUT = { returnInsteadOfFailing: ['timeout'], maxWaitMinutes: 0.01 };

	it.each<[string, INodeParameters, string]>([
		['when it is off', {}, 'completed'],
		['of a job that is still running', withFiles(TIMED_OUT), 'running'],
	])('asks for no files %s', async (_label, parameters, status) => {
		await nextJob([PRICES], { statuses: [status] });

		const { json } = await service.runAgent(parameters);

		expect(json[0]?.status).toBe(status);
		expect(json[0]).not.toHaveProperty('files');
		expect(await service.sent('getJobFiles')).toEqual([]);
	});
});

describe('Download Files that fails after the job has completed', () => {
	it.each<[string, object]>([
		['has an error status', { status: 'error', message: 'Busy' }],
		['is an empty object', {}],
		['has files that are no list', { files: 'none' }],
	])('is an error when the list %s, not a job without files', async (_label, body) => {
		await nextJob([PRICES]);
		await service.fault('getJobFiles', { kind: 'body', body }, { times: 'always' });

		const { error } = await service.runAgent(withFiles());

		expect(error?.description).toContain('Only the download failed, not the job');
	});

	it.each<[string, object]>([
		['null', { job_id: 'job_1', file_count: 0, files: null }],
		['missing', { job_id: 'job_1', file_count: 0 }],
	])('is none when there are no files and their list is %s', async (_label, body) => {
		await nextJob([]);
		await service.fault('getJobFiles', { kind: 'body', body }, { times: 'always' });

		const { json } = await service.runAgent(withFiles());

		expect(json[0]?.files).toEqual([]);
	});

	it.each<[string, EndpointName, (jobId: string) => string]>([
		['a file', 'file', (jobId) => `File 'prices.csv' of job ${jobId} could not be downloaded`],
		['the list', 'getJobFiles', (jobId) => `Job ${jobId}: `],
	])('names the job, and says how to get at the files: %s', async (_label, endpoint, message) => {
		await nextJob([PRICES]);
		await service.fault(endpoint, 500, { times: 'always' });

		const { error, items } = await service.runAgent(withFiles());

		const { job_id } = await service.onlyJob();
		expect(error).toMatchObject({
			message: expect.stringContaining(message(job_id)),
			description: expect.stringMatching(
				/^Only the download failed, not the job: get the files with Job File: Download instead of running the job again\./,
			),
			context: { jobIds: [job_id] },
		});
		expect(items).toEqual([]);
	});

	it('gets a file at the next try with Retry On Fail, without a second job', async () => {
		await nextJob([PRICES]);
		// One failed download gets a new link.
		await service.fault('file', 400, { times: 2 });

		const { items } = await service.runAgent(withFiles(), { settings: RETRY_ON_FAIL });

		expect((await stored.read(items[0]?.binary?.file_0)).toString()).toBe('a,b\n');
		expect(await service.sent('startAgent')).toHaveLength(1);
	});
});
