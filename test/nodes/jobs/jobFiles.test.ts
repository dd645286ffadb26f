import { downloadJobFiles } from '../../../nodes/jobs/jobFiles';
import { fakeClock } from '../../support/fakeClock';

const MINUTE_MS = 60_000;

describe('downloadJobFiles', () => {
	it('gives all files of a job two hours together', async () => {
		const clock = fakeClock(0);
		const files = Array.from({ length: 5 }, (_, index) => ({ filename: `${index}.txt` }));
		const deadlines: unknown[] = [];

		await downloadJobFiles(
			{
				getJobFiles: async () => {
					await clock.sleep(MINUTE_MS);
					return files;
				},
				async fetchFile(_file, _read, { deadline } = {}) {
					deadlines.push(deadline);
					await clock.sleep(50 * MINUTE_MS);
					throw new Error('The disk is full');
				},
			},
			'job_1',
			{ clock, maxBytes: 1_000, store: async () => undefined },
		);

		expect(deadlines).toEqual(Array(5).fill(120 * MINUTE_MS));
	});
});
