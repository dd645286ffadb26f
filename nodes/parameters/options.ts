import { MB } from '../units';
import {
	boolean,
	collection,
	notInTools,
	number,
	type Field,
	type Fields,
	type Values,
} from './field';

/** The default of both options 'Max File Size (MB)'. */
export const DEFAULT_MAX_FILE_SIZE_MB = 1024;

/** The options about a job's files, for every operation that waits. */
export const JOB_FILE_OPTIONS = {
	// The language model of an agent gets no binary data.
	downloadFiles: notInTools(
		boolean({
			displayName: 'Download Files',
			name: 'downloadFiles',
			type: 'boolean',
			default: false,
			description:
				"Whether to attach the job's files to the item as binary data (file_0, file_1, and so on)",
		}),
	),
	maxFileSizeMb: notInTools(
		number({
			displayName: 'Max File Size (MB)',
			name: 'maxFileSizeMb',
			type: 'number',
			default: DEFAULT_MAX_FILE_SIZE_MB,
			description: "With 'Download Files' on, files larger than this cause an error",
		}),
	),
};

/** Converts megabytes to bytes, rounded down. The result is finite: it may be stored as JSON. */
export function toBytes(megabytes: number): number {
	return Math.min(Math.floor(megabytes * MB), Number.MAX_SAFE_INTEGER);
}

/** Creates the collection 'Options' with these fields. */
export function optionsField<F extends Fields>(fields: F): Field<Values<F>> {
	return collection({ displayName: 'Options', name: 'options', placeholder: 'Add Option' }, fields);
}
