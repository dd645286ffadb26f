import { readField, text } from '../../../parameters/field';
import { workflowIdField } from '../../../parameters/ids';
import { toWorkflowStart } from '../../../service/startRequests';
import type { Operation } from '../operation';
import { prepareRun, runFields } from '../prepareRun';

const DEFAULT_MAX_WAIT_MINUTES = 60;

const payloadField = text({
	displayName: 'Payload',
	name: 'payload',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. Download the March invoices for vendor ACME',
	description:
		"Text with the values for the workflow's inputs. Leave empty if the workflow has none.",
});

export const runWorkflow: Operation = {
	option: {
		name: 'Run',
		value: 'run',
		action: 'Run a saved workflow',
		description: "Run a workflow saved in the service's web platform and get its result",
	},
	fields: [workflowIdField.shown, payloadField.shown, ...runFields()],

	prepare(context, item) {
		const workflowId = readField(context, item, workflowIdField);
		const payload = readField(context, item, payloadField);
		return prepareRun(context, item, {
			request: toWorkflowStart(workflowId, payload === '' ? undefined : payload),
			subject: `workflow ${workflowId}`,
			maxWaitMinutes: DEFAULT_MAX_WAIT_MINUTES,
			startedFields: ['user_id', 'workflow_id', 'conversation_id'],
			finishedFields: { workflow_id: workflowId, conversation_id: undefined },
		});
	},
};
