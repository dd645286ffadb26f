import type { JsonSchema } from 'json-schema-faker';

import type { Job } from '../state/Job';

const MAX_TASK_LENGTH = 200;

/**
 * Returns the answer of a job without a script: in the form that its directive ends with, if any.
 */
export async function answer({ id, start }: Job): Promise<unknown> {
	const format = readFormat(start.directive);
	if (format === undefined) return sentence(start.directive, start.initialUrl);

	const value = format.isSchema ? await createData(format.value, id) : format.value;
	// Text that is an answer in JSON is written as JSON, too: with quotes.
	return typeof value === 'object' ? value : JSON.stringify(value);
}

/** Finds the JSON at the end of the directive, after a line that says what it is. */
function readFormat(directive: string): { isSchema: boolean; value: unknown } | undefined {
	for (const match of directive.matchAll(/^.*\b(example|schema)\b.*:\s*\n/gim)) {
		try {
			const value: unknown = JSON.parse(directive.slice(match.index + match[0].length));
			return { isSchema: match[1]?.toLowerCase() === 'schema', value };
		} catch {
			// The line belongs to the task.
		}
	}
	return undefined;
}

async function createData(schema: unknown, jobId: string): Promise<unknown> {
	const { generateSync } = await import('json-schema-faker');
	return generateSync(schema as JsonSchema, {
		// Each call returns the same data.
		seed: parseInt(jobId.slice(-8), 16),
		alwaysFakeOptionals: true,
		useExamplesValue: true,
	});
}

function sentence(directive: string, initialUrl = 'https://example.com/'): string {
	const isLong = directive.length > MAX_TASK_LENGTH;
	const task = isLong ? `${directive.slice(0, MAX_TASK_LENGTH)}…` : directive;
	return `I opened ${initialUrl} and completed the task: ${task}`;
}
