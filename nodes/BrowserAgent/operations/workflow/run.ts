import { readField } from '../../../parameters/field';
import { workflowIdField } from '../../../parameters/ids';
import { outputFormatFields } from '../../../parameters/outputFormat';
import { payloadFields, readPayload } from '../../../parameters/payload';
import { DEFAULT_MAX_WAIT_MINUTES } from '../../../parameters/waiting';
import { toWorkflowStart } from '../../../service/types';
import type { Operation } from '../operation';
import { prepareJob, jobFields, shownWhenWaiting } from '../prepareJob';

export const runWorkflowOperation: Operation = {
	option: {
		name: 'Run',
		value: 'run',
		action: 'Run saved workflow',
		description: "Run a workflow saved in the service's web platform and get its result",
	},
	// If the node doesn't wait, its item has no job output to format.
	fields: [
		workflowIdField.property,
		...payloadFields,
		...jobFields({ formatFields: outputFormatFields.map(shownWhenWaiting) }),
	],

	prepare(context, itemIndex) {
		const workflowId = readField(context, itemIndex, workflowIdField);
		return prepareJob(context, itemIndex, {
			request: toWorkflowStart(workflowId, readPayload(context, itemIndex)),
			subject: { label: `Workflow ${workflowId}` },
			unsetMaxWaitMinutes: DEFAULT_MAX_WAIT_MINUTES,
			startedFields: ['user_id', 'workflow_id', 'conversation_id'],
			extraFields: ({ workflow_id, conversation_id }) => ({
				workflow_id: workflow_id ?? workflowId,
				conversation_id: conversation_id ?? undefined,
			}),
		});
	},
};
