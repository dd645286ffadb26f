import type { INodeProperties } from 'n8n-workflow';

import { boolean, shownFields, type Field } from './field';

export const simplifyField = boolean({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

/** How output is made, for every operation that waits and for the trigger. */
export const OUTPUT_OPTIONS = {
	downloadFiles: boolean({
		displayName: 'Download Files',
		name: 'downloadFiles',
		type: 'boolean',
		default: false,
		description:
			"Whether to attach the finished job's files to the item, as binary data file_0, file_1 and so on",
	}),
	parseJsonOutput: boolean({
		displayName: 'Parse JSON Output',
		name: 'parseJsonOutput',
		type: 'boolean',
		default: false,
		description:
			'Whether to turn an output that is JSON, bare or in a code fence, into an object. Other text stays text.',
	}),
};

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
