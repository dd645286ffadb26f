import { toFileItem } from '../../../output/fileItem';
import { jobIdField, readJobId } from '../../../parameters/ids';
import { READS_AT_ONCE, type Operation } from '../operation';
import { shownFor } from '../shownFor';

export const getAllJobFiles: Operation = {
	parameters: shownFor('jobFile', 'getAll', [jobIdField]),

	prepare(context, itemIndex) {
		const jobId = readJobId(context, itemIndex);

		return {
			about: { jobId },
			maxParallel: READS_AT_ONCE,
			async work({ client, signal }) {
				const files = await client.getJobFiles(jobId, { signal, repeat: true });
				return files.map((file) => ({ json: toFileItem(jobId, file) }));
			},
		};
	},
};
