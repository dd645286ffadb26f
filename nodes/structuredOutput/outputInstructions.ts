import type { OutputSchema } from './OutputSchema';

/** Returns text to append to a directive, which tells the agent what its answer must match. */
export function toInstructions({ schema, example }: OutputSchema): string {
	const demand =
		example === undefined
			? `It must match this JSON Schema:\n${schema}`
			: `It must have the same structure as this example: the same keys, and values of the same types. The values themselves are placeholders, not the answer:\n${example}`;
	return `\n\n--- Output format ---\nYour final answer must be a single JSON value and nothing else: no text before or after it, and no code fence. ${demand}`;
}
