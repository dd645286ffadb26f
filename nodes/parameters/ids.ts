import type { INodeProperties } from 'n8n-workflow';

import { UserError } from '../errors/UserError';
import { toId } from '../service/ids';
import type { Field } from './field';
import { toRequiredText } from './values';

/** The same field in every operation, so that switching operations keeps the value. */
export const jobIdField = id({
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	required: true,
	default: '={{ $json.job_id }}',
	placeholder: 'e.g. job_1a2b3c',
	description: 'ID of the job, as returned by Agent: Run or Workflow: Run',
	builderHint: { propertyHint: 'The field job_id of an item from Agent: Run or Workflow: Run.' },
});

export const workflowIdField = id({
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. wf_1a2b3c',
	description: "ID of a workflow saved in the service's web platform",
});

function id(shown: INodeProperties): Field<string> {
	const { displayName } = shown;
	return {
		shown,
		read(value) {
			// A blank one has a message of its own.
			toRequiredText(value, displayName);
			const found = toId(typeof value === 'string' ? value.trim() : value);
			if (found !== undefined) return found;
			throw new UserError(`'${displayName}' is not a valid ID`, {
				description: `An ID contains no spaces or slashes. Check the value of '${displayName}' for this item.`,
			});
		},
	};
}
