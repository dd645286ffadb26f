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
import { prepareJob, jobFields } from '../prepareJob';

// A job that runs for as long as it may is seen as finished a little later.
const WAIT_BEYOND_DURATION_MINUTES = 5;
// A job in the user's own browser has no maximum duration.
const MAX_WAIT_IN_OWN_BROWSER_MINUTES = 60;

const LOGINS =
	'https://github.com/browser-agent-contributors/n8n-nodes-browser-agent#logins-and-passwords';

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
	hint: `Keep passwords out of it: n8n stores them in plain text. <a href="${LOGINS}" target="_blank">Where logins go</a>`,
});

export const runAgent: Operation = {
	option: {
		name: 'Run',
		value: 'run',
		action: 'Run AI agent in web browser',
		description: 'Run an AI agent in a web browser and get its result',
	},
	fields: [
		directiveField.property,
		initialUrlField.property,
		...modelFields,
		...browserFields,
		...jobFields(outputFormatFields),
	],

	prepare(context, item) {
		const format = readOutputFormat(context, item);
		const request = readRequest(context, item, format);
		// Once all items are prepared, each gets a session (connectItems.ts) and is run (runItems.ts):
		// runAttempts.ts starts its job, waits for it, and makes the output item of how that ended. If
		// the node doesn't wait, prepareJob.ts starts the job and returns the item.
		return prepareJob(context, item, {
			request: toAgentStart(request),
			format,
			maxWaitMinutes: maxWaitMinutes(request),
			startedFields: ['live_url', 'history_url', 'polling_url'],
		});
	},
};

/** What an unset 'Max Wait (Minutes)' means. */
function maxWaitMinutes({ browser_config, cdp_url }: RunBrowserAgentRequest): number {
	if (cdp_url !== undefined) return MAX_WAIT_IN_OWN_BROWSER_MINUTES;
	const { max_duration_minutes = DEFAULT_MAX_DURATION_MINUTES } = browser_config ?? {};
	return max_duration_minutes + WAIT_BEYOND_DURATION_MINUTES;
}

function readRequest(
	context: ParameterContext,
	item: number,
	{ outputSchema }: OutputFormat,
): RunBrowserAgentRequest {
	const directive = readField(context, item, directiveField);
	const initial_url = readField(context, item, initialUrlField);
	const model = readModel(context, item);
	return {
		directive: outputSchema ? directive + toInstructions(outputSchema) : directive,
		...(initial_url === '' ? {} : { initial_url }),
		...(model === undefined ? {} : { action_selection_model: model }),
		...readBrowser(context, item),
	};
}
