import type { INodeProperties } from 'n8n-workflow';

import { MB } from '../service/httpResponse';
import { boolean, notInTools, number, sortedProperties, type Field, type Values } from './field';

export const DEFAULT_MAX_FILE_SIZE_MB = 1024;

export const simplifyField = boolean({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** Which files come with a job, for every operation that waits. */
export const JOB_FILE_OPTIONS = {
	// An agent's model gets no binary data.
	downloadFiles: notInTools(
		boolean({
			displayName: 'Download Files',
			name: 'downloadFiles',
			type: 'boolean',
			default: true,
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
			description: 'When Download Files is on, files larger than this cause an error',
		}),
	),
};

/** Which files come with a job. */
export type JobFileOptions = ReturnType<typeof toJobFileOptions>;

/** The same with defaults for what the user has not set. */
export function toJobFileOptions(set: Values<typeof JOB_FILE_OPTIONS>) {
	return {
		downloadFiles: set.downloadFiles ?? false,
		maxFileBytes: toBytes(set.maxFileSizeMb ?? DEFAULT_MAX_FILE_SIZE_MB),
	};
}

/** Megabytes in bytes. */
export function toBytes(megabytes: number): number {
	return Math.floor(megabytes * MB);
}

/** The collection 'Options' with these fields. */
export function optionsField(fields: Record<string, Field<unknown>>): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sortedProperties(fields),
	};
}
