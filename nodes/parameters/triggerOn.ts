import { configurationError } from '../errors/NodeFailure';
import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import type { Field } from './field';
import { splitList, toText } from './values';

const EVENT_OPTIONS = [
	{ name: 'Job Canceled', value: 'canceled', description: 'The job was canceled' },
	{ name: 'Job Completed', value: 'completed', description: 'The job finished successfully' },
	{ name: 'Job Failed', value: 'failed', description: 'The job ended with an error' },
	{ name: 'Job Not Found', value: 'not_found', description: 'No job with this ID was found' },
	{ name: 'Job Paused', value: 'paused', description: 'The job is paused and can be resumed' },
	{
		name: 'Job Taken Over',
		value: 'user_taken_over',
		description: "A user took over the job's browser",
	},
] as const;

/** The events of a job that the trigger can emit: its end, a pause, or that it was not found. */
export const TRIGGER_EVENTS = EVENT_OPTIONS.map(({ value }) => value);

export type TriggerEvent = (typeof TRIGGER_EVENTS)[number];

// If it were 'Trigger On', n8n's panel would list each choice as a trigger.
const DISPLAY_NAME = 'Trigger On Status';

/**
 * The events to emit, in the order of `TRIGGER_EVENTS`. An expression can also yield them as
 * comma-separated text, with `cancelled` for `canceled`.
 */
export const triggerOnField: Field<TriggerEvent[]> = {
	property: {
		displayName: DISPLAY_NAME,
		name: 'triggerOn',
		type: 'multiOptions',
		required: true,
		options: [...EVENT_OPTIONS],
		default: ['completed', 'failed', 'user_taken_over', 'canceled', 'not_found'],
		description:
			'Job statuses that start the workflow, once per job and status. Jobs found by the same poll arrive in one execution, one item each.',
	},
	read(value) {
		const entries = splitList(value).filter((entry) => toText(entry).trim() !== '');
		const chosen = entries.map(toEvent);
		if (chosen.length > 0) return TRIGGER_EVENTS.filter((event) => chosen.includes(event));
		throw configurationError(`'${DISPLAY_NAME}' is empty`, 'Choose at least one status.');
	},
};

function toEvent(entry: unknown): TriggerEvent {
	const status = typeof entry === 'string' ? entry.trim().toLowerCase() : undefined;
	const known = status === 'cancelled' ? 'canceled' : status;
	const event = TRIGGER_EVENTS.find((one) => one === known);
	if (event !== undefined) return event;
	const shown = toPlainText(toText(entry), MAX_NAME_CHARACTERS);
	throw configurationError(
		`'${DISPLAY_NAME}' has no option '${shown}'`,
		`Choose one or more of: ${TRIGGER_EVENTS.join(', ')}.`,
	);
}

const EVENT_NAMES = Object.fromEntries(
	EVENT_OPTIONS.map(({ name, value }) => [value, name.replace('Job ', '')]),
);

/** What n8n shows below the trigger's name, e.g. "Completed, Failed". */
export const triggerOnSubtitle = `={{ [].concat($parameter["triggerOn"]).map((event) => (${JSON.stringify(EVENT_NAMES)})[event] ?? event).join(", ") }}`;
