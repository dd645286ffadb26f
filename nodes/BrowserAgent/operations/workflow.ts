import { NodeFailure } from '../../errors/NodeFailure';
import { MAX_NAME_CHARACTERS, toPlainText } from '../../errors/plainText';
import { isObject } from '../../isObject';
import { type Field, type Values, choice, text, withProperties } from '../../parameters/field';
import { workflowIdField } from '../../parameters/ids';
import { OUTPUT_FORMAT_FIELDS } from '../../parameters/outputFormat';
import {
	toBoolean,
	toChoice,
	toData,
	toNumber,
	toRequiredText,
	toSentText,
} from '../../parameters/values';
import { DEFAULT_MAX_WAIT_MINUTES } from '../../parameters/waiting';
import { toWorkflowStart } from '../../service/startRequests';
import { operation } from './Operation';
import { jobFields, prepareJob, shownWhenWaiting } from './startJob';

const payloadTypeField = choice({
	displayName: 'Payload Type',
	name: 'payloadType',
	type: 'options',
	options: [
		{ name: 'Fields', value: 'fields', description: 'Names and values, sent as JSON' },
		{ name: 'Text', value: 'text', description: 'Text in any form' },
	],
	default: 'text',
	description: "How to enter the values for the workflow's inputs",
});

const payloadField = text({
	displayName: 'Payload',
	name: 'payload',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. Download the March invoices for vendor ACME',
	description: "Values for the workflow's inputs, if it has any",
	displayOptions: { show: { payloadType: ['text'] } },
});

/** Read as JSON; '' without any fields. If a name occurs twice, the last value counts. */
const payloadFieldsField: Field<string> = {
	property: {
		displayName: 'Payload Fields',
		name: 'payloadFields',
		type: 'assignmentCollection',
		default: {},
		description: "Names and values for the workflow's inputs, if it has any",
		displayOptions: { show: { payloadType: ['fields'] } },
	},
	read(value) {
		const entries = assignmentsOf(value).map(toEntry);
		return entries.length === 0 ? '' : JSON.stringify(Object.fromEntries(entries));
	},
};

/** The fields of the payload. */
export const PAYLOAD_FIELDS = {
	payloadType: payloadTypeField,
	payload: payloadField,
	payloadFields: payloadFieldsField,
};

/**
 * Returns the payload of a saved workflow; undefined if it is empty. Throws a `NodeFailure` that
 * names the parameter.
 */
export function toPayload(values: Values<typeof PAYLOAD_FIELDS>): string | undefined {
	const payload = values.payloadType === 'text' ? values.payload : values.payloadFields;
	return payload === '' ? undefined : payload;
}

type Assignment = { name?: unknown; type?: unknown; value?: unknown } | null | undefined;
type Read = (value: unknown, name: string) => unknown;

const READERS: Record<string, Read> = {
	string: toSentText,
	number: (value, name) => toNumber(value, name, { min: -Infinity }),
	boolean: toBoolean,
	array: (value, name) => toData(value, name, 'an array', Array.isArray),
	object: (value, name) => toData(value, name, 'an object', isObject),
};

function assignmentsOf(value: unknown): Assignment[] {
	if (isObject(value)) {
		// Only without any fields. What an object has elsewhere would be lost.
		if (Object.keys(value).length === 0) return [];
		if (Array.isArray(value.assignments)) return value.assignments as Assignment[];
	}
	throw new NodeFailure("'Payload Fields' is not a list of fields", {
		description: "Enter names and values, or set 'Payload Type' to 'Text'.",
	});
}

function toEntry(assignment: Assignment): [name: string, value: unknown] {
	const name = toRequiredText(assignment?.name, 'Payload Fields: name');
	const label = `Payload Fields: ${toPlainText(name, MAX_NAME_CHARACTERS)}`;
	const type = toChoice(assignment?.type ?? 'string', label, Object.keys(READERS));
	return [name, READERS[type]?.(assignment?.value, label)];
}

export const runWorkflowOperation = operation({
	option: {
		name: 'Run',
		value: 'run',
		action: 'Run saved workflow',
		description: 'Run a workflow saved in the service and get its result',
	},
	// If the node doesn't wait, its item has no job output to format.
	fields: {
		workflowId: workflowIdField,
		...PAYLOAD_FIELDS,
		...jobFields({ formatFields: withProperties(OUTPUT_FORMAT_FIELDS, shownWhenWaiting) }),
	},

	prepare(values) {
		const { workflowId } = values;
		return prepareJob(values, {
			request: toWorkflowStart(workflowId, toPayload(values)),
			subject: { label: `Workflow ${workflowId}` },
			unsetMaxWaitMinutes: DEFAULT_MAX_WAIT_MINUTES,
			startedFields: ['user_id', 'workflow_id', 'conversation_id'],
			extraFields: ({ workflow_id, conversation_id }) => ({
				workflow_id: workflow_id ?? workflowId,
				conversation_id: conversation_id ?? undefined,
			}),
		});
	},
});
