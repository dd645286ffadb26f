import { asFields } from '../../../api/operations/bodyFields';

const MAX_TASK_LENGTH = 200;

/**
 * Returns the answer of a job without a script: in the form of the example, or the examples in the
 * schema, that its directive ends with, if there are any. Values of an example are varied, so that
 * nobody takes it for the answer.
 */
export function answer(directive: string, initialUrl?: string): unknown {
	const example = findExample(directive);
	if (example === undefined) return sentence(directive, initialUrl);
	// Text that is an answer in JSON is written as JSON, too: with quotes.
	return typeof example === 'object' ? example : JSON.stringify(example);
}

/** Finds the JSON at the end of the directive, after a line that says what it is. */
function findExample(directive: string): unknown {
	for (const match of directive.matchAll(/^.*\b(example|schema)\b.*:\s*\n/gim)) {
		try {
			const value: unknown = JSON.parse(directive.slice(match.index + match[0].length));
			return match[1]?.toLowerCase() === 'schema' ? exampleIn(value) : varied(value);
		} catch {
			// The line belongs to the task.
		}
	}
	return undefined;
}

/** Returns data of the same form with other texts and numbers. Addresses keep their hosts. */
function varied(value: unknown): unknown {
	if (typeof value === 'number') return value + 1;
	if (typeof value === 'string') {
		return URL.canParse(value) ? new URL('simulated', value).href : `${value} (simulated)`;
	}
	if (Array.isArray(value)) return value.map(varied);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, varied(field)]));
}

/** Returns the first of the schema's examples or else an object of those of its properties. */
function exampleIn(schema: unknown): unknown {
	const { examples, properties } = asFields(schema);
	if (Array.isArray(examples)) return examples[0];
	if (properties === undefined) return undefined;
	const fields = Object.entries(asFields(properties));
	return Object.fromEntries(fields.map(([name, field]) => [name, exampleIn(field)]));
}

function sentence(directive: string, initialUrl = 'https://example.com/'): string {
	const isLong = directive.length > MAX_TASK_LENGTH;
	const task = isLong ? `${directive.slice(0, MAX_TASK_LENGTH)}…` : directive;
	return `I opened ${initialUrl} and completed the task: ${task}`;
}
