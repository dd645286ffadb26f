import type { JobStart } from '../state/Job';

const MAX_TASK_LENGTH = 200;

/** Returns the output of a job without a script: text, or JSON text if the directive mentions JSON. */
export function defaultOutput({ directive, initialUrl }: JobStart): string {
	const task =
		directive.length > MAX_TASK_LENGTH ? `${directive.slice(0, MAX_TASK_LENGTH)}…` : directive;
	const page = initialUrl ?? 'https://example.com/';
	if (/\bjson\b/i.test(directive)) {
		return JSON.stringify({
			task,
			url: page,
			title: 'Example page',
			items: [
				{ name: 'First entry', price: 19.9 },
				{ name: 'Second entry', price: 24.5 },
			],
		});
	}
	return `Opened ${page} and did what was asked: "${task}". The page "Example page" lists 2 entries.`;
}
