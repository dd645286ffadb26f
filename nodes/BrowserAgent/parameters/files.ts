import type { INodeProperties } from 'n8n-workflow';

import { NodeProblem } from '../../errors/NodeProblem';
import { readCollection, toNumber, toText, type ParameterContext } from './readValue';

const BYTES_PER_MB = 1024 * 1024;

/** Which files to download, and how large they may be. */
export interface FileOptions {
	isWanted: (filename: string) => boolean;
	maxBytes?: number;
}

/** The options of a download, in the order of their names on the screen. */
export const fileOptionFields: INodeProperties[] = [
	{
		displayName: 'File Names',
		name: 'filenames',
		type: 'string',
		default: '',
		placeholder: 'e.g. *.pdf, report-?.csv',
		description:
			'Names of the files to download, separated by commas. * stands for any characters, ? for one. If empty: all.',
	},
	{
		displayName: 'Max File Size MB',
		name: 'maxFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 100,
		description: 'A larger file is not downloaded but is an error. If not set: no limit.',
	},
];

/** Throws a `NodeProblem` that names the field. */
export function readFileOptions(context: ParameterContext, itemIndex: number): FileOptions {
	const options = readCollection(context, 'options', itemIndex);
	return {
		isWanted: toFilter(toList(options.filenames)),
		maxBytes: 'maxFileSizeMb' in options ? toMaxBytes(options.maxFileSizeMb) : undefined,
	};
}

function toMaxBytes(value: unknown): number {
	const megabytes = toNumber(value, 'Max File Size MB');
	if (megabytes <= 0) {
		throw new NodeProblem(`'Max File Size MB' has to be more than 0, and is ${megabytes}`, {
			description: 'Enter a number of megabytes, fractions allowed, or remove the option.',
		});
	}
	return Math.floor(megabytes * BYTES_PER_MB);
}

// An expression may give an array.
function toList(value: unknown): string[] {
	return Array.isArray(value) ? value.map(toText) : toText(value).split(',');
}

function toFilter(list: string[]): (filename: string) => boolean {
	const patterns = list
		.map((pattern) => pattern.trim())
		.filter((pattern) => pattern !== '')
		.map(toPattern);
	return (filename) => patterns.length === 0 || patterns.some((pattern) => pattern.test(filename));
}

function toPattern(glob: string): RegExp {
	const source = glob
		.replace(/\*+/g, '*')
		.replace(/[.+^${}()|[\]\\]/g, '\\$&')
		.replace(/\*/g, '.*')
		.replace(/\?/g, '.');
	return new RegExp(`^${source}$`, 'isu');
}
