import type { JobStart } from '../state/Job';

const SHORT = 200;

/** What a job without a script finds: text, or JSON text when the directive asks for JSON. */
export function defaultOutput({ directive, initialUrl }: JobStart): string {
	const task = directive.length > SHORT ? `${directive.slice(0, SHORT)}…` : directive;
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
