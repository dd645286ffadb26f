import { toUserError } from '../../../errors/toNodeError';
import { downloadJobFiles, listJobFiles } from '../../../jobs/jobFiles';
import { readField, requiredText } from '../../../parameters/field';
import { FILE_OPTIONS, readFileOptions } from '../../../parameters/files';
import { jobIdField } from '../../../parameters/ids';
import { optionsField } from '../../../parameters/options';
import type { Result } from '../../Run';
import type { Operation } from '../operation';
import { NO_FILES } from './getAll';

const propertyField = requiredText({
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	hint: 'The name of the output binary field to put the file in',
});

const NO_SUCH_FILES = "None of the job's files matches 'File Names'";

// Usually because of Job File: Get Many before it, which returns an item for each file of a job. An
// array keeps a name with a comma whole.
const FILES_REPEATED =
	"Several items have the same job ID, so its files were downloaded once per item. To download each file once after Job File: Get Many, set 'File Names' to the expression {{ [$json.filename] }}, or remove Get Many, since Download lists the files itself.";

export const downloadFilesOperation: Operation = {
	option: {
		name: 'Download',
		value: 'download',
		action: 'Download job files',
		description: 'Download the files of a job as binary data',
	},
	fields: [jobIdField.property, propertyField.property, optionsField(FILE_OPTIONS)],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		const property = readField(context, itemIndex, propertyField).trim();
		const options = readFileOptions(context, itemIndex);
		return {
			subject: { jobId },
			emptyHint: options.isWanted === undefined ? NO_FILES : NO_SUCH_FILES,
			sameJobHint: options.isWanted === undefined ? FILES_REPEATED : undefined,
			async execute(work) {
				const files = await downloadJobFiles(work, await listJobFiles(work, jobId), options);
				return files.map((file): Result => {
					const { filename } = file;
					if ('error' in file) {
						return { kind: 'failed', error: toUserError(file.error, { jobId, filename }) };
					}
					return {
						kind: 'output',
						json: { job_id: jobId, filename, size_bytes: file.sizeBytes },
						binary: { [property]: file.stored },
					};
				});
			},
		};
	},
};
