import { toFileItem } from '../../../nodes/output/fileItem';

describe('the item of a file', () => {
	it('has its name, its link and how long that is good for, beside the job', () => {
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

		expect(Object.keys(item)).toEqual(['job_id', 'filename']);
	});
});
