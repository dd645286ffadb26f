import type { INodeProperties } from 'n8n-workflow';

import { MB } from '../units';
import { boolean, notInTools, number, sortedProperties, type Field, type Values } from './field';

/** The maximum size of a file if 'Max File Size (MB)' is not set. */
export const DEFAULT_MAX_FILE_SIZE_MB = 1024;

export const simplifyField = boolean({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** The options about a job's files, for every operation that waits. */
export const JOB_FILE_OPTIONS = {
	// The language model of an agent gets no binary data.
	downloadFiles: notInTools(
		boolean({
			displayName: 'Download Files',
			name: 'downloadFiles',
			type: 'boolean',
			default: true,
			description:
				"Whether to attach the job's files to the item as binary data (file_0, file_1, and so on). If not set: off.",
		}),
	),
	maxFileSizeMb: notInTools(
		number({
			displayName: 'Max File Size (MB)',
			name: 'maxFileSizeMb',
			type: 'number',
			default: DEFAULT_MAX_FILE_SIZE_MB,
			description: `When 'Download Files' is on, files larger than this cause an error. If not set: ${DEFAULT_MAX_FILE_SIZE_MB}.`,
		}),
	),
};

/** Whether an item contains its job's files, and how large each may be in bytes. */
export type JobFileOptions = ReturnType<typeof toJobFileOptions>;

/** Converts the values of `JOB_FILE_OPTIONS`, with defaults for unset ones. */
export function toJobFileOptions(set: Values<typeof JOB_FILE_OPTIONS>) {
	return {
		downloadFiles: set.downloadFiles ?? false,
		maxFileBytes: toBytes(set.maxFileSizeMb ?? DEFAULT_MAX_FILE_SIZE_MB),
	};
}

/** Converts megabytes to bytes, rounded down. */
export function toBytes(megabytes: number): number {
	return Math.floor(megabytes * MB);
}

/** Creates the collection 'Options' with these fields. */
export function optionsField(fields: Record<string, Field<unknown>>): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		builderHint: {
			propertyHint:
				"An option's @default is what it begins with when a user adds it, not what holds when it is left out: its description ends with that. Set only options that the task needs.",
		},
		options: sortedProperties(fields),
	};
}
