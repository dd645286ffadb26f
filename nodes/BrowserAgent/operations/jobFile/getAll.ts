import { listJobFiles } from '../../../jobs/jobFiles';
import { omitUndefined } from '../../../output/jobItem';
import { readField } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import { MAX_CONCURRENT_READS, type Operation } from '../operation';

/** The hint for a job without files. */
export const NO_FILES = 'The service lists no files for this job';

export const getAllJobFilesOperation: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many job files',
		description: 'List the files of a job, with download links',
	},
	fields: [jobIdField.property],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		return {
			subject: { jobId },
			emptyHint: NO_FILES,
			maxParallel: MAX_CONCURRENT_READS,
			async execute(work) {
				const { files } = await listJobFiles(work, jobId);
				return files.map((file) => ({
					kind: 'output',
					json: omitUndefined({ job_id: jobId, ...file }),
				}));
			},
		};
	},
};
