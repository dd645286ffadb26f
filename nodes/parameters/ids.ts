import type { INodeProperties } from 'n8n-workflow';

import { UserError } from '../errors/UserError';
import { toId } from '../service/toId';
import type { Field } from './field';
import { requireNoLostObject, toRequiredText } from './values';

const ADDRESS = /^\s*[a-z]+:\/\//i;
const STATUS_ADDRESS = /^https?:\/\/[^?#\s]+\/v1\/get_job_status\/([^/?#\s]+)\/?(?:$|[?#].*$)/i;

/** The 'Job ID' field of all operations: switching between them keeps its value. */
export const jobIdField = idField(toSingleJobId, invalidJobIdError, {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	required: true,
	default: '={{ $json.job_id }}',
	placeholder: 'e.g. job_1a2b3c',
	description:
		'ID of the job, as returned by Agent: Run or Saved Workflow: Run, or its polling_url',
});

export const workflowIdField = idField(toId, invalidIdError, {
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. wf_1a2b3c',
	description: "ID of a workflow saved in the service's web platform",
});

/** Returns a job's ID, given as such or as its `polling_url`; undefined for anything else. */
export function toJobId(value: unknown): string | undefined {
	if (typeof value !== 'string') return toId(value);
	const text = value.trim();
	const segment = STATUS_ADDRESS.exec(text)?.[1];
	return toId(segment === undefined ? text : decoded(segment));
}

function toSingleJobId(value: unknown): string | undefined {
	return isSeveralIds(value) ? undefined : toJobId(value);
}

// An ID could contain a comma, but none has been seen, and lists of IDs are common.
function isSeveralIds(value: unknown): boolean {
	if (Array.isArray(value)) return value.length > 1;
	if (typeof value !== 'string' || ADDRESS.test(value)) return false;
	const parts = value.split(/[\s,]+/).filter((part) => part !== '');
	return parts.length > 1 && parts.every((part) => toId(part) !== undefined);
}

function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

function idField(
	toValidId: (value: unknown) => string | undefined,
	toError: (value: unknown, displayName: string) => UserError,
	property: INodeProperties,
): Field<string> {
	const { displayName } = property;
	return {
		property,
		read(value) {
			requireNoLostObject(value, displayName);
			// Throws a separate error for a blank value.
			toRequiredText(value, displayName);
			const found = toValidId(typeof value === 'string' ? value.trim() : value);
			if (found !== undefined) return found;
			throw toError(value, displayName);
		},
	};
}

function invalidJobIdError(value: unknown, displayName: string): UserError {
	if (isSeveralIds(value)) {
		return new UserError(`'${displayName}' contains several IDs`, {
			description:
				'This operation takes one ID per item. To use several IDs, use Job: Wait, or pass one item per ID.',
		});
	}
	if (typeof value === 'string' && ADDRESS.test(value)) {
		return new UserError(`'${displayName}' is a URL, not an ID`, {
			description: "Enter the job's job_id, not its live_url or history_url.",
		});
	}
	return invalidIdError(value, displayName);
}

function invalidIdError(_value: unknown, displayName: string): UserError {
	return new UserError(`'${displayName}' is not a valid ID`, {
		description: `An ID contains no spaces or slashes. Check the value of '${displayName}' for this item.`,
	});
}
