import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { invalidSetting } from '../errors/UserError';
import type { Field } from './field';
import { isObject } from '../isObject';
import { parseJson } from '../service/parseJson';
import { toId } from '../service/ids';

const MAX_ENTRIES = 10_000;

/** Job IDs, each once; none if it is empty. */
export const jobIdsOption: Field<string[]> = {
	shown: {
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. job_1a2b3c, job_4d5e6f',
		description:
			'IDs of several jobs, used instead of Job ID, with one output item each. Separate them by commas, spaces or line breaks, or use an expression that returns an array.',
	},
	read: (value) => toJobIds(splitList(value), 'Job IDs', toPlainText),
};

/** The entries of a list given as an array, as its JSON text, or as text with separators. */
export function splitList(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (value === undefined || value === null) return [];
	if (typeof value === 'object') return [value];
	const text = String(value as string | number);
	const array = text.trim().startsWith('[') ? parseJson(text) : undefined;
	return Array.isArray(array) ? array : text.split(/[\s,]+/);
}

/**
 * The job IDs in a list of IDs or of objects with `job_id`, each once, in order. Entries without an ID
 * are skipped. Throws a `UserError` for an entry that can't be an ID, which it quotes if it may, and for
 * more than 10,000.
 */
export function toJobIds(
	list: unknown[],
	field: string,
	toPlainText?: (text: string, maxCharacters: number) => string,
): string[] {
	const entries = list.map(idOf).filter((id) => id !== undefined && id !== null && id !== '');
	if (entries.length > MAX_ENTRIES) {
		throw invalidSetting(
			`'${field}' contains more than ${MAX_ENTRIES} jobs`,
			'Remove jobs that have ended from the list.',
		);
	}
	const jobIds = entries.map((entry) => {
		const jobId = toId(entry);
		if (jobId !== undefined) return jobId;
		const text = typeof entry === 'string' ? entry : JSON.stringify(entry);
		const quoted = toPlainText === undefined ? '' : `: ${toPlainText(text, MAX_NAME_CHARACTERS)}`;
		throw invalidSetting(
			`'${field}' contains an entry that is not a job ID${quoted}`,
			`A list contains job IDs, or objects with 'job_id', e.g. ["job_1", {"job_id": "job_2"}].`,
		);
	});
	return [...new Set(jobIds)];
}

function idOf(entry: unknown): unknown {
	const id = isObject(entry) ? entry.job_id : entry;
	return typeof id === 'string' ? id.trim() : id;
}
