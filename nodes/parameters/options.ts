import type { INodeProperties } from 'n8n-workflow';

/** The collection of optional fields; an operation puts its own into it. */
export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
};

/** The same options, shown only when the operation waits. */
export function shownWhenWaiting(options: INodeProperties[]): INodeProperties[] {
	return options.map((option) => ({
		...option,
		displayOptions: { show: { '/waitUntilFinished': [true] } },
	}));
}

/** Options in the order of their names on the screen, as n8n wants them. */
export function byName(options: INodeProperties[]): INodeProperties[] {
	// Not by the rules of a language: loading those costs more than the rest of the package.
	return [...options].sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
}
