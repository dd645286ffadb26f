import type { INodeProperties } from 'n8n-workflow';

import { MB } from '../service/httpResponse';
import type { OutputSchema } from '../structuredOutput/OutputSchema';
import { boolean, notInTools, number, shownFields, type Field, type Values } from './field';
import { OUTPUT_SCHEMA_OPTIONS, toOutputSchema } from './structuredOutput';

const DEFAULT_MAX_FILE_SIZE_MB = 1024;

export const simplifyField = boolean({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** How output is made, for every operation that waits and for the trigger. */
export const OUTPUT_OPTIONS = {
	...OUTPUT_SCHEMA_OPTIONS,
	// An agent's model gets no binary data.
	downloadFiles: notInTools(
		boolean({
			displayName: 'Download Files',
			name: 'downloadFiles',
			type: 'boolean',
			default: false,
			description:
				"Whether to download the job's files and attach them to the item as binary data (file_0, file_1, and so on)",
		}),
	),
	maxFileSizeMb: notInTools(
		number({
			displayName: 'Max File Size (MB)',
			name: 'maxFileSizeMb',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_MAX_FILE_SIZE_MB,
			description:
				'Files larger than this are not downloaded and cause an error, when Download Files is on',
		}),
	),
	parseJsonOutput: boolean({
		displayName: 'Parse JSON Output',
		name: 'parseJsonOutput',
		type: 'boolean',
		default: false,
		description:
			'Whether to parse an output that is JSON, bare or in a code block, into an object. Other text is returned as it is.',
	}),
};

/** How output is made. All of it can be written as JSON. */
export interface OutputOptions {
	parseJsonOutput: boolean;
	/** Unset: any. */
	outputSchema?: OutputSchema;
	downloadFiles: boolean;
	maxFileBytes: number;
}

/** The same with defaults for what the user has not set. */
export function toOutputOptions(set: Values<typeof OUTPUT_OPTIONS>): OutputOptions {
	return {
		parseJsonOutput: set.parseJsonOutput ?? false,
		outputSchema: toOutputSchema(set),
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
		options: shownFields(fields),
	};
}
