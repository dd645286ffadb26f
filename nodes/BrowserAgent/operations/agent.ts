import { NodeFailure } from '../../errors/NodeFailure';
import {
	type Field,
	type Values,
	choice,
	requiredText,
	text,
	withDescription,
} from '../../parameters/field';
import { OUTPUT_FORMAT_FIELDS, toOutputFormat } from '../../parameters/outputFormat';
import { requireNoLostObject } from '../../parameters/values';
import { DEFAULT_MAX_WAIT_MINUTES, WAIT_OPTIONS } from '../../parameters/waiting';
import { parseUrl, withScheme } from '../../service/baseUrl';
import {
	DEFAULT_MAX_DURATION_MINUTES,
	DEFAULT_MODEL,
	MODELS,
} from '../../service/documentedValues';
import { toAgentStart } from '../../service/startRequests';
import type { RunBrowserAgentRequest } from '../../service/types';
import type { OutputSchema } from '../../structuredOutput/readSchema';
import { browserOptionsField, toBrowserRequest } from './browserOptions';
import { operation } from './Operation';
import { jobFields, prepareJob } from './startJob';

const SERVICE_DEFAULT = 'default';
const CUSTOM = 'custom';

const DEFAULT_PRICE = MODELS.find(({ id }) => id === DEFAULT_MODEL)?.creditsPerStep ?? 0;

const modelField = choice({
	displayName: 'Model',
	name: 'model',
	type: 'options',
	// Not alphabetical: from the cheapest model to the most expensive one, between the default and
	// the way to enter another.
	options: [
		{
			name: 'Service Default',
			value: SERVICE_DEFAULT,
			description: `According to the service's documentation: ${DEFAULT_MODEL}, ${toPrice(DEFAULT_PRICE).toLowerCase()}`,
		},
		...MODELS.map(({ id, creditsPerStep }) => ({
			name: `${id} (${toPrice(creditsPerStep)})`,
			value: id,
		})),
		{ name: 'Custom', value: CUSTOM, description: 'Enter the name of another model' },
	],
	default: SERVICE_DEFAULT,
	description:
		"Model that chooses the agent's actions. A job costs credits per step: 12 steps at 5 credits are 60.",
	builderHint: {
		propertyHint: `Credits per step: ${MODELS.map(({ id, creditsPerStep }) => `${id} ${creditsPerStep}`).join(', ')}. Keep 'default' unless the user names a model or a budget.`,
	},
});

const customModelField = requiredText({
	displayName: 'Custom Model',
	name: 'customModel',
	type: 'string',
	// If it were `required`, n8n would demand it whenever 'Model' is an expression.
	default: '',
	placeholder: 'e.g. vendorc-4o',
	description: 'Name of the model, as the service expects it',
	builderHint: { propertyHint: "Required with model 'custom'" },
	displayOptions: { show: { model: [CUSTOM] } },
});

/** The fields of the model. */
export const MODEL_FIELDS = { model: modelField, customModel: customModelField };

function toPrice(creditsPerStep: number): string {
	return `${creditsPerStep} ${creditsPerStep === 1 ? 'Credit' : 'Credits'} per Step`;
}

/**
 * Returns the name of the chosen model, as the service expects it; undefined for the service's
 * default, which may change. Throws a `NodeFailure` for a model that is not in the list, and for a
 * blank custom one.
 */
export function toModel(values: Values<typeof MODEL_FIELDS>): string | undefined {
	const { model } = values;
	if (model === SERVICE_DEFAULT) return undefined;
	return model === CUSTOM ? values.customModel.trim() : model;
}

const WEB_URL = /^https?:\/\/[^/?#\s]\S*$/i;

const field = text({
	displayName: 'Initial URL',
	name: 'initialUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://www.example.com',
	description: 'Page that the browser opens first. Leave empty to let the agent choose.',
});

/** The page to start on, read as an http(s) URL or ''. A URL without a scheme gets `https://`. */
export const initialUrlField: Field<string> = {
	...field,
	read(value) {
		requireNoLostObject(value, field.property.displayName);
		const url = withScheme(field.read(value));
		if (url === '' || (WEB_URL.test(url) && parseUrl(url) !== undefined)) return url;
		throw new NodeFailure("'Initial URL' is not a valid URL", {
			description:
				"Enter a URL with its scheme, e.g. 'https://www.example.com', or as a domain, e.g. 'example.com'. If it is an expression, check its value for this item.",
		});
	},
};

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
	placeholder: "e.g. Search for 'desk lamp', and return name and price of the first three",
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
	"Maximum time to wait for a job, pauses included. 'Pause Job' says what happens then. Not set, it grows with 'Max Duration (Minutes)' above 30.",
);

const FIELDS = {
	directive: directiveField,
	initialUrl: initialUrlField,
	...jobFields({
		formatFields: OUTPUT_FORMAT_FIELDS,
		ownFields: { ...MODEL_FIELDS, browserConfig: browserOptionsField },
		waitOptions: { ...WAIT_OPTIONS, maxWaitMinutes: maxWaitOption },
	}),
};

export const runAgentOperation = operation({
	option: {
		name: 'Run',
		value: 'run',
		action: 'Run browser task',
		description: 'Let an AI agent do a task in a web browser and get its result',
	},
	fields: FIELDS,

	prepare(values) {
		const format = toOutputFormat(values);
		const request = toRequest(values, format);
		return prepareJob(values, {
			request: toAgentStart(request),
			subject: { suggestsCheaperModel: true },
			format,
			unsetMaxWaitMinutes: unsetMaxWaitMinutes(request),
			startedFields: ['live_url', 'history_url', 'polling_url'],
		});
	},
});

/** Returns the maximum wait if 'Max Wait (Minutes)' is not set. */
function unsetMaxWaitMinutes({ browser_config, cdp_url }: RunBrowserAgentRequest): number {
	// A job in the user's own browser has no maximum duration.
	if (cdp_url !== undefined) return DEFAULT_MAX_WAIT_MINUTES;
	const { max_duration_minutes = DEFAULT_MAX_DURATION_MINUTES } = browser_config ?? {};
	return Math.max(DEFAULT_MAX_WAIT_MINUTES, max_duration_minutes + MAX_QUEUE_MINUTES);
}

function toRequest(
	values: Values<typeof FIELDS>,
	{ outputSchema }: ReturnType<typeof toOutputFormat>,
): RunBrowserAgentRequest {
	const { directive, initialUrl: initial_url } = values;
	return {
		directive: outputSchema ? directive + toInstructions(outputSchema) : directive,
		// Undefined fields are not sent.
		initial_url: initial_url === '' ? undefined : initial_url,
		action_selection_model: toModel(values),
		...toBrowserRequest(values.browserConfig),
	};
}

/** Returns text to append to a directive, which tells the agent what its answer must match. */
function toInstructions({ schema, example }: OutputSchema): string {
	const demand =
		example === undefined
			? `It must match this JSON Schema:\n${schema}`
			: `It must have the same structure as this example: the same keys, and values of the same types, where null and [] stand for any value. The values themselves are placeholders, not the answer:\n${example}`;
	return `\n\n--- Output format ---\nYour final answer must be a single JSON value and nothing else: no text before or after it, and no code fence. ${demand}`;
}
