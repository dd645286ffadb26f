import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { createStoreFile, toAttachedFiles, toFileItem } from '../../../nodes/output/fileItem';
import type { ByteStream } from '../../../nodes/service/httpResponse';

const STREAM = {} as ByteStream;

function aFile(mimeType: string): IBinaryData {
	return { data: '', mimeType };
}

describe('toFileItem', () => {
	it('shows a file beside the job', () => {
		const item = toFileItem('job_1', {
			filename: 'report.pdf',
			download_url: 'https://files.example.com/report.pdf',
			expires_in: 3600,
		});

		expect(item).toEqual({
			job_id: 'job_1',
			filename: 'report.pdf',
			download_url: 'https://files.example.com/report.pdf',
			expires_in: 3600,
		});
	});

	it('leaves out what the service did not send', () => {
		const item = toFileItem('job_1', { filename: 'report.pdf', download_url: undefined });

		expect(item).toStrictEqual({ job_id: 'job_1', filename: 'report.pdf' });
	});
});

describe('toAttachedFiles', () => {
	it('attaches and lists the files that were downloaded', () => {
		const csv = aFile('text/csv');
		const pdf = aFile('application/pdf');

		const attached = toAttachedFiles([
			{ filename: 'a.csv', sizeBytes: 10, stored: csv },
			{ filename: 'b.txt', error: new Error('lost') },
			{ filename: 'c.pdf', sizeBytes: 20, stored: pdf },
		]);

		expect(attached).toEqual({
			binary: { file_0: csv, file_1: pdf },
			files: [
				{
					filename: 'a.csv',
					size_bytes: 10,
					mime_type: 'text/csv',
					binary_property: 'file_0',
				},
				{
					filename: 'c.pdf',
					size_bytes: 20,
					mime_type: 'application/pdf',
					binary_property: 'file_1',
				},
			],
		});
	});

	it('is empty without files', () => {
		expect(toAttachedFiles([])).toEqual({ binary: {}, files: [] });
	});
});

describe('createStoreFile', () => {
	/** Stores a file where n8n takes it for this type, and returns what n8n was asked for, too. */
	async function store(filename: string, mimeType: string | undefined, takenFor: string) {
		const prepareBinaryData = jest.fn(async () => ({ ...aFile(takenFor), fileType: 'text' }));
		const helpers = { prepareBinaryData } as unknown as IExecuteFunctions['helpers'];
		const stored = await createStoreFile(helpers)(STREAM, filename, mimeType);
		return { stored, calls: prepareBinaryData.mock.calls };
	}

	it.each<[string, string, string | undefined, string | undefined]>([
		["the service's type", 'a.txt', 'text/csv', 'text/csv'],
		['the ending of the name without a type', 'a.pdf', undefined, undefined],
		['bytes without either', 'README', undefined, 'application/octet-stream'],
		['bytes with a dot at the end', 'README.', undefined, 'application/octet-stream'],
	])('stores a file as %s', async (_label, filename, mimeType, asked) => {
		const { calls } = await store(filename, mimeType, 'application/pdf');

		expect(calls).toEqual([[STREAM, filename, asked]]);
	});

	it.each<[string, string, string | undefined, string]>([
		['text by its type', 'a.xyz', 'text/plain', 'text/plain'],
		['text by an ending in capitals', 'a.TXT', undefined, 'text/plain'],
		['of a type that n8n knows by the ending', 'a.pdf', undefined, 'application/pdf'],
	])("keeps n8n's description of a file that is %s", async (_label, filename, mimeType, type) => {
		const { stored } = await store(filename, mimeType, type);

		expect(stored).toEqual({ data: '', mimeType: type, fileType: 'text' });
	});

	it('takes a file with an ending that n8n does not know for bytes', async () => {
		const { stored } = await store('a.xyz', undefined, 'text/plain');

		expect(stored).toStrictEqual({ data: '', mimeType: 'application/octet-stream' });
	});

	it.each(['conf', 'def', 'in', 'ini', 'list', 'log', 'text', 'txt'])(
		'takes a file that ends in .%s for text',
		async (ending) => {
			const { stored } = await store(`a.${ending}`, undefined, 'text/plain');

			expect(stored.mimeType).toBe('text/plain');
		},
	);
});
