import type { IBinaryData } from 'n8n-workflow';

import { toAttachedFiles } from '../../../nodes/output/fileItem';

function aFile(mimeType: string): IBinaryData {
	return { data: '', mimeType };
}

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
