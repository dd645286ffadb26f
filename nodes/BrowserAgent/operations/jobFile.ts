import { NodeFailure } from '../../errors/NodeFailure';
import { toNodeFailure } from '../../errors/toNodeFailure';
import { isObject } from '../../isObject';
import { omitUndefined } from '../../jobs/item';
import { downloadJobFiles, listJobFiles } from '../../jobs/jobFiles';
import { number, requiredText, type Field } from '../../parameters/field';
import { jobIdField } from '../../parameters/ids';
import { DEFAULT_MAX_FILE_SIZE_MB, optionsField, toBytes } from '../../parameters/options';
import { emptyError, toText } from '../../parameters/values';
import { parseJson } from '../../service/parseJson';
import type { Result } from '../Run';
import { MAX_CONCURRENT_READS, operation } from './Operation';

/** Whether to download a file of this name. */
type FileFilter = (filename: string) => boolean;

const FILE_NAMES = 'File Names';
const LIST_ADVICE =
	'The list must contain names of files. If it is an expression, check its value for this item.';

export const FILE_OPTIONS = {
	filenames: {
		property: {
			displayName: FILE_NAMES,
			name: 'filenames',
			type: 'string',
			default: '',
			placeholder: 'e.g. *.pdf, report-?.csv',
			description:
				'Names of the files to download, separated by commas. Use * for any characters and ? for a single one. Leave empty for all files.',
		},
		read: toFilter,
	} satisfies Field<FileFilter | undefined>,
	maxFileSizeMb: number({
		displayName: 'Max File Size (MB)',
		name: 'maxFileSizeMb',
		type: 'number',
		default: DEFAULT_MAX_FILE_SIZE_MB,
		description: 'Files larger than this cause an error',
	}),
};

/**
 * Returns a filter for the names in a list, which may be given as JSON, or for the patterns in a
 * text with commas. Returns undefined for a blank text, which stands for all files.
 */
function toFilter(value: unknown): FileFilter | undefined {
	if (value === undefined || value === null) throw emptyError(FILE_NAMES);
	const list = parseList(value);
	if (list !== undefined) {
		const names = new Set(list.map(toName));
		return (filename) => names.has(composed(filename));
	}
	if (isObject(value)) {
		throw new NodeFailure(`'${FILE_NAMES}' is an object, which is not a file name`, {
			description: LIST_ADVICE,
		});
	}
	const patterns = toText(value)
		.split(',')
		.map((pattern) => composed(pattern).toLowerCase())
		.filter((pattern) => pattern !== '');
	if (patterns.length === 0) return undefined;
	return (filename) => {
		const name = [...composed(filename).toLowerCase()];
		return patterns.some((pattern) => matchesWildcard([...pattern], name));
	};
}

function parseList(value: unknown): unknown[] | undefined {
	const isJson = typeof value === 'string' && value.trim().startsWith('[');
	const list = isJson ? parseJson(value) : value;
	return Array.isArray(list) ? list : undefined;
}

function toName(entry: unknown, index: number): string {
	const name = ['string', 'number'].includes(typeof entry) ? composed(String(entry)) : '';
	if (name !== '') return name;
	throw new NodeFailure(`'${FILE_NAMES}': entry ${index + 1} is not a file name`, {
		description: LIST_ADVICE,
	});
}

// The same name can be written with composed characters, or with letters and accents.
function composed(name: string): string {
	return name.normalize('NFC').trim();
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

export const downloadFilesOperation = operation({
	option: {
		name: 'Download',
		value: 'download',
		action: 'Download job files',
		description: 'Download the files of a job as binary data',
	},
	fields: {
		jobId: jobIdField,
		binaryPropertyName: propertyField,
		options: optionsField(FILE_OPTIONS),
	},

	prepare({ jobId, binaryPropertyName, options: { filenames: isWanted, maxFileSizeMb } }) {
		const property = binaryPropertyName.trim();
		const maxBytes = toBytes(maxFileSizeMb);
		return {
			subject: { jobId },
			emptyHint: isWanted === undefined ? NO_FILES : NO_SUCH_FILES,
			sameJobHint: isWanted === undefined ? FILES_REPEATED : undefined,
			async execute(work) {
				const files = await downloadJobFiles(work, await listJobFiles(work, jobId), {
					isWanted,
					maxBytes,
				});
				return files.map((file): Result => {
					const { filename } = file;
					if ('error' in file) {
						return { kind: 'failed', error: toNodeFailure(file.error, { jobId, filename }) };
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
});

/** The hint for a job without files. */
const NO_FILES = 'The service lists no files for this job';

export const getAllJobFilesOperation = operation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many job files',
		description: 'List the files of a job, with download links',
	},
	fields: { jobId: jobIdField },

	prepare({ jobId }) {
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
});
