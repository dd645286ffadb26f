import { configurationError } from '../errors/configurationError';
import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import type { UserError } from '../errors/UserError';
import type { Field } from './field';
import { isObject } from '../isObject';
import { parseJson } from '../service/parseJson';
import { jobIdField, toJobId } from './ids';
import { emptyError, requireNoLostObject, toText } from './values';

const MAX_ENTRIES = 10_000;
const MAX_FIELDS_SHOWN = 5;
const EXPECTED = `The list must contain job IDs, or objects with 'job_id', e.g. ["job_1", {"job_id": "job_2"}].`;

/** The 'Job ID' field for several IDs, read as a list with at least one ID and each only once. */
export const jobIdsField: Field<string[]> = {
	property: {
		...jobIdField.property,
		description:
			'ID of the job. For several jobs, separate the IDs by commas, spaces or line breaks, or use an expression that returns an array.',
	},
	read(value) {
		const { displayName } = jobIdField.property;
		const jobIds = readJobIds(value, displayName);
		if (jobIds.length === 0) throw emptyError(displayName);
		return jobIds;
	},
};

/**
 * Reads a list of job IDs, each once: an array, JSON, or text with commas or whitespace. Throws
 * what `toJobIds` throws, and a `UserError` for text that JavaScript makes of an object.
 */
export function readJobIds(value: unknown, field: string): string[] {
	if (typeof value === 'string') requireNoLostObject(value, field);
	return toJobIds(splitList(value), field);
}

/**
 * Splits a list, given as an array, as JSON, or as text with commas or whitespace. Text is split
 * into at most 10,001 entries, enough to see that there are too many.
 */
export function splitList(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (value === undefined || value === null) return [];
	if (typeof value !== 'string') return [value];
	const array = value.trim().startsWith('[') ? parseJson(value) : undefined;
	if (Array.isArray(array)) return array;
	// The first entry is empty if the text begins with a separator.
	return value.split(/[\s,]+/, MAX_ENTRIES + 2).filter((entry) => entry !== '');
}

/**
 * Returns the job IDs in a list of IDs or of objects with `job_id`, each once. Blank entries are
 * skipped, and so are empty objects and those whose `job_id` is blank. Throws a `UserError` if
 * another entry is not a job ID and, before it reads any, if there are more than 10,000 entries.
 */
export function toJobIds(list: unknown[], field: string): string[] {
	if (list.length > MAX_ENTRIES) {
		throw configurationError(
			`'${field}' contains more than ${MAX_ENTRIES} jobs`,
			'Remove finished jobs from the list.',
		);
	}
	const jobIds = list.flatMap((entry, index) => {
		if (isObject(entry) && !Object.hasOwn(entry, 'job_id') && Object.keys(entry).length > 0) {
			throw missingJobIdError(field, index, Object.keys(entry));
		}
		const id = isObject(entry) ? entry.job_id : entry;
		if (toText(id).trim() === '') return [];
		const jobId = toJobId(id);
		if (jobId !== undefined) return jobId;
		throw configurationError(`'${field}': entry ${index + 1} is not a job ID`, EXPECTED);
	});
	return [...new Set(jobIds)];
}

// An object with other fields holds the ID under another name: skipping it would lose a job.
function missingJobIdError(field: string, index: number, names: string[]): UserError {
	const shown = names
		.slice(0, MAX_FIELDS_SHOWN)
		.map((name) => `'${toPlainText(name, MAX_NAME_CHARACTERS)}'`);
	const others = names.length > MAX_FIELDS_SHOWN ? ', …' : '';
	return configurationError(
		`'${field}': entry ${index + 1} has no 'job_id', only ${shown.join(', ')}${others}`,
		EXPECTED,
	);
}
