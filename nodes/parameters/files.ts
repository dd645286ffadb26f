import { number, readCollection, type Field, type ParameterContext } from './field';
import { DEFAULT_MAX_FILE_SIZE_MB, toBytes } from './options';
import { toText } from './values';

export const FILE_OPTIONS = {
	filenames: {
		property: {
			displayName: 'File Names',
			name: 'filenames',
			type: 'string',
			default: '',
			placeholder: 'e.g. *.pdf, report-?.csv',
			description:
				'Names of the files to download, separated by commas. Use * for any characters and ? for a single one.',
		},
		// An expression may yield an array.
		read: (value) => (Array.isArray(value) ? value.map(toText) : toText(value).split(',')),
	} satisfies Field<string[]>,
	maxFileSizeMb: number({
		displayName: 'Max File Size (MB)',
		name: 'maxFileSizeMb',
		type: 'number',
		default: 100,
		description: `Files larger than this cause an error. If not set, the limit is ${DEFAULT_MAX_FILE_SIZE_MB} MB.`,
	}),
};

/**
 * Reads which files to download, and how large each may be. Throws a `UserError` that names the
 * parameter.
 */
export function readFileOptions(context: ParameterContext, itemIndex: number) {
	const options = readCollection(context, itemIndex, 'options', FILE_OPTIONS);
	const { filenames = [], maxFileSizeMb = DEFAULT_MAX_FILE_SIZE_MB } = options;
	const patterns = filenames
		.map((pattern) => pattern.trim().toLowerCase())
		.filter((pattern) => pattern !== '');
	return {
		/** Whether to download a file. Default: all files. */
		isWanted: patterns.length === 0 ? undefined : toFilter(patterns),
		maxBytes: toBytes(maxFileSizeMb),
	};
}

function toFilter(patterns: string[]): (filename: string) => boolean {
	return (filename) =>
		patterns.some((pattern) => matchesWildcard([...pattern], [...filename.toLowerCase()]));
}

// Tracks all possible matches at once, because a regular expression with many stars could take
// exponential time.
function matchesWildcard(pattern: string[], name: string[]): boolean {
	const positions = [...name.keys(), name.length];
	// The positions in the name where a match of the pattern so far can end.
	let ends = [0];
	for (const wanted of pattern) {
		if (wanted === '*') {
			const [first = Infinity] = ends;
			ends = positions.slice(first);
		} else {
			ends = ends.filter((end) => end < name.length && (wanted === '?' || wanted === name[end]));
			ends = ends.map((end) => end + 1);
		}
	}
	return ends.includes(name.length);
}
