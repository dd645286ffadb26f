import type { INodeProperties } from 'n8n-workflow';

import { isPathSegment } from '../service/pathSegment';
import { UserError } from '../errors/UserError';
import { toRequiredText, type ParameterContext } from './readValue';

/** The same field in every operation, so that switching operations keeps the value. */
export const jobIdField: INodeProperties = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	required: true,
	default: '={{ $json.job_id }}',
	placeholder: 'e.g. job_1a2b3c',
	description: 'The job to work with, as Agent: Run or Workflow: Run returned it',
};

export const workflowIdField: INodeProperties = {
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. wf_1a2b3c',
	description: "ID of a workflow saved in the service's web platform",
};

/** Throws a `UserError` when the ID is blank or could not be one segment of an address. */
export function readJobId(context: ParameterContext, itemIndex: number): string {
	return toId(context.getNodeParameter('jobId', itemIndex, ''), 'Job ID');
}

/** Throws as `readJobId` does. */
export function readWorkflowId(context: ParameterContext, itemIndex: number): string {
	return toId(context.getNodeParameter('workflowId', itemIndex, ''), 'Workflow ID');
}

function toId(value: unknown, field: string): string {
	const id = toRequiredText(value, field).trim();
	if (typeof value === 'object' || !isPathSegment(id)) {
		throw new UserError(`'${field}' is not an ID`, {
			description: `An ID has no spaces and no slashes in it. Look at what is in '${field}' for this item.`,
		});
	}
	return id;
}
