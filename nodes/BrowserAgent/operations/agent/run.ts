import { browserOptionsField, readBrowser } from '../../../parameters/browser';
import {
	readField,
	requiredText,
	withDescription,
	type ParameterContext,
} from '../../../parameters/field';
import { initialUrlField } from '../../../parameters/initialUrl';
import { modelFields, readModel } from '../../../parameters/model';
import {
	outputFormatFields,
	readOutputFormat,
	type OutputFormat,
} from '../../../parameters/outputFormat';
import { DEFAULT_MAX_WAIT_MINUTES, WAIT_OPTIONS } from '../../../parameters/waiting';
import { DEFAULT_MAX_DURATION_MINUTES } from '../../../service/documentedValues';
import { type RunBrowserAgentRequest, toAgentStart } from '../../../service/types';
import { toInstructions } from '../../../structuredOutput/readSchema';
import type { Operation } from '../operation';
import { prepareJob, jobFields } from '../prepareJob';

// A job's maximum duration doesn't include its time in the service's queue.
const MAX_QUEUE_MINUTES = 30;

const directiveField = requiredText({
	displayName: 'Directive',
	name: 'directive',
	type: 'string',
	// More rows would push 'Browser Options' out of sight in a window of 1,366 by 768 pixels.
	typeOptions: { rows: 2 },
	required: true,
	default: '',
	placeholder: 'e.g. Find the three cheapest flights from Berlin to Rome next Friday',
	description:
		'Task for the agent in plain language, with everything it needs to know and what to return. No passwords: n8n stores them in plain text.',
	builderHint: {
		propertyHint:
			"Put values of the input item in with an expression. Say what to do if the data isn't found. The agent sees nothing else of the workflow.",
	},
});

// The number shown when a user adds the option can't depend on another one.
const maxWaitOption = withDescription(
	WAIT_OPTIONS.maxWaitMinutes,
	"Maximum time to wait for a job, pauses included. The job itself continues. Not set, it grows with a 'Max Duration (Minutes)' above 30.",
);

export const runAgentOperation: Operation = {
	option: {
		name: 'Run',
		value: 'run',
		action: 'Run browser task',
		description: 'Let an AI agent do a task in a web browser and get its result',
	},
	fields: [
		directiveField.property,
		initialUrlField.property,
		...jobFields({
			formatFields: outputFormatFields,
			ownFields: [...modelFields, browserOptionsField],
			waitOptions: { ...WAIT_OPTIONS, maxWaitMinutes: maxWaitOption },
		}),
	],

	prepare(context, itemIndex) {
		const format = readOutputFormat(context, itemIndex);
		const request = readRequest(context, itemIndex, format);
		return prepareJob(context, itemIndex, {
			request: toAgentStart(request),
			subject: { suggestsCheaperModel: true },
			format,
			unsetMaxWaitMinutes: unsetMaxWaitMinutes(request),
			startedFields: ['live_url', 'history_url', 'polling_url'],
		});
	},
};

/** Returns the maximum wait if 'Max Wait (Minutes)' is not set. */
function unsetMaxWaitMinutes({ browser_config, cdp_url }: RunBrowserAgentRequest): number {
	// A job in the user's own browser has no maximum duration.
	if (cdp_url !== undefined) return DEFAULT_MAX_WAIT_MINUTES;
	const { max_duration_minutes = DEFAULT_MAX_DURATION_MINUTES } = browser_config ?? {};
	return Math.max(DEFAULT_MAX_WAIT_MINUTES, max_duration_minutes + MAX_QUEUE_MINUTES);
}

function readRequest(
	context: ParameterContext,
	itemIndex: number,
	{ outputSchema }: OutputFormat,
): RunBrowserAgentRequest {
	const directive = readField(context, itemIndex, directiveField);
	const initial_url = readField(context, itemIndex, initialUrlField);
	return {
		directive: outputSchema ? directive + toInstructions(outputSchema) : directive,
		// Undefined fields are not sent.
		initial_url: initial_url === '' ? undefined : initial_url,
		action_selection_model: readModel(context, itemIndex),
		...readBrowser(context, itemIndex),
	};
}
