import { browserFields, readBrowser } from '../../../parameters/browser';
import { readField, requiredText, type ParameterContext } from '../../../parameters/field';
import { initialUrlField } from '../../../parameters/initialUrl';
import { modelFields, readModel } from '../../../parameters/model';
import {
	outputFormatFields,
	readOutputFormat,
	type OutputFormat,
} from '../../../parameters/outputFormat';
import { DEFAULT_MAX_DURATION_MINUTES } from '../../../service/documentedValues';
import { toAgentStart } from '../../../service/startRequests';
import type { RunBrowserAgentRequest } from '../../../service/types';
import { toInstructions } from '../../../structuredOutput/OutputSchema';
import type { Operation } from '../operation';
import { prepareRun, runFields } from '../prepareRun';

// A job that runs for as long as it may is seen as finished a little later.
const WAIT_BEYOND_DURATION_MINUTES = 5;

const directiveField = requiredText({
	displayName: 'Directive',
	name: 'directive',
	type: 'string',
	typeOptions: { rows: 4 },
	required: true,
	default: '',
	placeholder: 'e.g. Find the three cheapest flights from Berlin to Rome next Friday',
	description:
		'Task for the agent in plain language, with everything it needs to know and what to return',
});

export const runAgent: Operation = {
	option: {
		name: 'Run',
		value: 'run',
		action: 'Run web browser agent',
		description: 'Run an AI agent in a web browser and get its result',
	},
	fields: [
		directiveField.property,
		initialUrlField.property,
		...modelFields,
		...browserFields,
		...runFields(outputFormatFields),
	],

	prepare(context, item) {
		const format = readOutputFormat(context, item);
		const request = readRequest(context, item, format);
		const maxDurationMinutes =
			request.browser_config?.max_duration_minutes ?? DEFAULT_MAX_DURATION_MINUTES;
		return prepareRun(context, item, {
			request: toAgentStart(request),
			format,
			maxWaitMinutes: maxDurationMinutes + WAIT_BEYOND_DURATION_MINUTES,
			startedFields: ['live_url', 'history_url', 'polling_url'],
		});
	},
};

function readRequest(
	context: ParameterContext,
	item: number,
	{ outputSchema }: OutputFormat,
): RunBrowserAgentRequest {
	const directive = readField(context, item, directiveField);
	const initial_url = readField(context, item, initialUrlField);
	return {
		directive: outputSchema ? directive + toInstructions(outputSchema) : directive,
		...(initial_url === '' ? {} : { initial_url }),
		action_selection_model: readModel(context, item),
		...readBrowser(context, item),
	};
}
