import { toFileError } from '../../../errors/fileError';
import { downloadJobFiles } from '../../../jobs/jobFiles';
import { fileOptionFields, readFileOptions } from '../../../parameters/files';
import { jobIdField, readJobId } from '../../../parameters/ids';
import { optionsField } from '../../../parameters/options';
import { toRequiredText } from '../../../parameters/readValue';
import type { Operation } from '../operation';
import { shownFor } from '../shownFor';

export const downloadFiles: Operation = {
	parameters: shownFor('jobFile', 'download', [
		jobIdField,
		{
			displayName: 'Put Output File in Field',
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: 'data',
			hint: 'The name of the output binary field to put the file in',
		},
		{ ...optionsField, options: fileOptionFields },
	]),

	prepare(context, itemIndex) {
		const jobId = readJobId(context, itemIndex);
		const property = toRequiredText(
			context.getNodeParameter('binaryPropertyName', itemIndex, 'data'),
			'Put Output File in Field',
		).trim();
		const options = readFileOptions(context, itemIndex);

		return {
			about: { jobId },
			async work({ client, signal, storeFile }) {
				const files = await downloadJobFiles(client, jobId, {
					...options,
					signal,
					store: storeFile,
				});
				return files.map((file) => {
					const { filename } = file;
					if ('error' in file) return { error: toFileError(file.error, jobId, filename) };
					return {
						json: { job_id: jobId, filename, size_bytes: file.sizeBytes },
						binary: { [property]: file.stored },
					};
				});
			},
		};
	},
};
