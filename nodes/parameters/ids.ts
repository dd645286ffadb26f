import { NodeFailure, configurationError } from '../errors/NodeFailure';
import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { isObject } from '../isObject';
import { decodePart, withoutSurroundings } from '../service/baseUrl';
import { parseJson } from '../service/parseJson';
import { toId } from '../service/toId';
import type { Field } from './field';
import {
	MAX_ENTRIES,
	emptyError,
	requireNoLostObject,
	splitList,
	toRequiredText,
	toText,
} from './values';

const STATUS_ADDRESS = /^https?:\/\/[^?#\s]+\/v1\/get_job_status\/([^/?#\s]+)\/?(?:$|[?#].*$)/i;
const MAX_FIELDS_SHOWN = 5;
const EXPECTED = `Job IDs are expected, or objects with 'job_id', e.g. ["job_1", {"job_id": "job_2"}].`;

/** The 'Job ID' field of all operations: switching between them keeps its value. */
export const jobIdField: Field<string> = {
	property: {
		displayName: 'Job ID',
		name: 'jobId',
		type: 'string',
		required: true,
		default: '={{ $json.job_id }}',
		placeholder: 'e.g. job_1a2b3c',
		description:
			'ID of the job, as returned by Agent: Run or Saved Workflow: Run, or its polling_url',
	},
	read: (value) => readJobId(value, jobIdField.property.displayName),
};

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

export const workflowIdField: Field<string> = {
	property: {
		displayName: 'Workflow ID',
		name: 'workflowId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. wf_1a2b3c',
		description: 'ID of a workflow saved in the service',
	},
	read: (value) => readWorkflowId(value, workflowIdField.property.displayName),
};

/**
 * Reads a list of job IDs, each once: an array, JSON, or text with commas or whitespace. Its
 * entries are IDs, `polling_url`s, or objects with `job_id`, also as JSON text. Blank entries are
 * skipped, and so are empty objects and those whose `job_id` is blank.
 *
 * Throws a `NodeFailure` that names the field if another entry is not a job ID, for text that
 * JavaScript makes of an object and, before it reads any, if there are more than 10,000 entries.
 */
export function readJobIds(value: unknown, field: string): string[] {
	const entries = readEntries(value, field, (index) => `'${field}': entry ${index + 1}`);
	const jobIds = entries.map(({ id, name }) => {
		const jobId = toJobId(id);
		if (jobId !== undefined) return jobId;
		throw configurationError(`${name} is not a job ID`, EXPECTED);
	});
	return [...new Set(jobIds)];
}

/** Reads a single job ID, given as `readJobIds` takes it. Throws a `NodeFailure` with the field. */
function readJobId(value: unknown, field: string): string {
	// Throws for a blank value.
	toRequiredText(value, field);
	const [first, ...others] = readEntries(value, field, () => `'${field}'`);
	if (first === undefined) throw emptyError(field);
	const jobId = toJobId(first.id);
	if (others.some(({ id }) => toJobId(id) !== jobId)) throw severalIdsError(field);
	if (jobId !== undefined) return jobId;
	throw invalidIdError(first.id, field);
}

/** Reads the ID of a workflow. Throws a `NodeFailure` that names the field for anything else. */
function readWorkflowId(value: unknown, field: string): string {
	requireNoLostObject(value, field);
	// Throws for a blank value.
	toRequiredText(value, field);
	const [entry, ...others] = splitList(value);
	if (others.length > 0) throw severalIdsError(field);
	const id = isObject(toObject(entry)) ? undefined : toPlainId(entry);
	if (id !== undefined) return id;
	throw invalidIdError(entry, field);
}

/** An entry of a list, which is not blank. */
interface ListEntry {
	/** What error messages call it. */
	name: string;
	/** What should be the ID. */
	id: unknown;
}

function readEntries(
	value: unknown,
	field: string,
	nameOf: (index: number) => string,
): ListEntry[] {
	if (typeof value === 'string') requireNoLostObject(value, field);
	const list = splitList(toObject(value));
	if (list.length > MAX_ENTRIES) {
		throw configurationError(
			`'${field}' contains more than ${MAX_ENTRIES} jobs`,
			'Remove finished jobs from the list.',
		);
	}
	return list.flatMap((given, index) => {
		const name = nameOf(index);
		const entry = toObject(given);
		if (!isObject(entry)) return toText(entry).trim() === '' ? [] : { name, id: entry };
		if (!Object.hasOwn(entry, 'job_id') && Object.keys(entry).length > 0) {
			throw missingJobIdError(name, Object.keys(entry));
		}
		const { job_id: id } = entry;
		return toText(id).trim() === '' ? [] : { name, id };
	});
}

/** Returns the object whose JSON a text is; any other value as it is. */
function toObject(value: unknown): unknown {
	const isJson = typeof value === 'string' && value.trim().startsWith('{');
	const data = isJson ? parseJson(value) : value;
	return isObject(data) ? data : value;
}

/**
 * Returns an ID, given as such or as a job's `polling_url`, without what people copy along with it:
 * quotation marks, and characters that nobody sees. Returns undefined for anything else.
 */
function toJobId(value: unknown): string | undefined {
	const text = typeof value === 'string' ? withoutSurroundings(value) : '';
	const segment = STATUS_ADDRESS.exec(text)?.[1];
	return segment === undefined ? toPlainId(value) : toId(decodePart(segment));
}

function toPlainId(value: unknown): string | undefined {
	return toId(typeof value === 'string' ? withoutSurroundings(value) : value);
}

function severalIdsError(field: string): NodeFailure {
	return new NodeFailure(`'${field}' contains several IDs`, {
		description: 'Pass one item per ID. Only Job: Wait takes several IDs.',
	});
}

function invalidIdError(value: unknown, field: string): NodeFailure {
	if (toText(value).includes('://')) {
		return new NodeFailure(`'${field}' is a URL, not an ID`, {
			description: "Enter the ID itself, e.g. a job's job_id, not its live_url or history_url.",
		});
	}
	return new NodeFailure(`'${field}' is not a valid ID`, {
		description: `An ID contains no spaces or slashes. Check the value of '${field}' for this item.`,
	});
}

// An object with other fields holds the ID under another name: skipping it would lose a job.
function missingJobIdError(name: string, names: string[]): NodeFailure {
	const shown = names
		.slice(0, MAX_FIELDS_SHOWN)
		.map((name) => `'${toPlainText(name, MAX_NAME_CHARACTERS)}'`);
	const others = names.length > MAX_FIELDS_SHOWN ? ', …' : '';
	return configurationError(`${name} has no 'job_id', only ${shown.join(', ')}${others}`, EXPECTED);
}
