import type { INodeProperties } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { UserError, configurationError } from '../errors/UserError';
import { isObject } from '../isObject';
import { decodePart, withoutSurroundings } from '../service/baseUrl';
import { toId } from '../service/types';
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
const EXPECTED = `The list must contain job IDs, or objects with 'job_id', e.g. ["job_1", {"job_id": "job_2"}].`;

/** The 'Job ID' field of all operations: switching between them keeps its value. */
export const jobIdField = idField({
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	required: true,
	default: '={{ $json.job_id }}',
	placeholder: 'e.g. job_1a2b3c',
	description:
		'ID of the job, as returned by Agent: Run or Saved Workflow: Run, or its polling_url',
});

export const workflowIdField = idField({
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. wf_1a2b3c',
	description: "ID of a workflow saved in the service's web platform",
});

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

function idField(property: INodeProperties): Field<string> {
	return { property, read: (value) => readId(value, property.displayName) };
}

/**
 * Reads an ID, or the `polling_url` of a job as its ID. A list of one entry stands for that entry.
 * Throws a `UserError` that names the field for anything else.
 */
function readId(value: unknown, field: string): string {
	requireNoLostObject(value, field);
	// Throws for a blank value.
	toRequiredText(value, field);
	const [entry, ...others] = splitList(value);
	if (others.length > 0) {
		throw new UserError(`'${field}' contains several IDs`, {
			description: 'Pass one item per ID. Only Job: Wait takes several IDs.',
		});
	}
	const id = toJobId(entry);
	if (id !== undefined) return id;
	if (toText(entry).includes('://')) {
		throw new UserError(`'${field}' is a URL, not an ID`, {
			description: "Enter the ID itself, e.g. a job's job_id, not its live_url or history_url.",
		});
	}
	throw new UserError(`'${field}' is not a valid ID`, {
		description: `An ID contains no spaces or slashes. Check the value of '${field}' for this item.`,
	});
}

/**
 * Reads a list of job IDs, each once: an array, JSON, or text with commas or whitespace. Its
 * entries are IDs, or objects with `job_id`. Blank entries are skipped, and so are empty objects
 * and those whose `job_id` is blank.
 *
 * Throws a `UserError` that names the field if another entry is not a job ID, for text that
 * JavaScript makes of an object and, before it reads any, if there are more than 10,000 entries.
 */
export function readJobIds(value: unknown, field: string): string[] {
	if (typeof value === 'string') requireNoLostObject(value, field);
	const list = splitList(value);
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

/**
 * Returns an ID, given as such or as a job's `polling_url`, without what people copy along with it:
 * quotation marks, and characters that nobody sees. Returns undefined for anything else.
 */
function toJobId(value: unknown): string | undefined {
	if (typeof value !== 'string') return toId(value);
	const text = withoutSurroundings(value);
	const segment = STATUS_ADDRESS.exec(text)?.[1];
	return toId(segment === undefined ? text : decodePart(segment));
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
