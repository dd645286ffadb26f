import type { JobStart } from '../state/Job';

const MAX_TASK_LENGTH = 200;

/** Returns the output of a job without a script: an object, as a public client of the service types it. */
export function defaultOutput({ directive, initialUrl }: JobStart): object {
	const task =
		directive.length > MAX_TASK_LENGTH ? `${directive.slice(0, MAX_TASK_LENGTH)}…` : directive;
	return {
		task,
		url: initialUrl ?? 'https://example.com/',
		title: 'Example page',
		items: [
			{ name: 'First entry', price: 19.9 },
			{ name: 'Second entry', price: 24.5 },
		],
	};
}
