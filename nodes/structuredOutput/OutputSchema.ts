/** What a job's output must match. All of it can be written as JSON. */
export interface OutputSchema {
	/** A JSON Schema, as JSON text. */
	schema: string;
	/** The example that the schema was derived from, as JSON text. */
	example?: string;
}

/** Tells an agent what its answer must match; to be appended to a directive. */
export function toInstructions({ schema, example }: OutputSchema): string {
	const demand =
		example === undefined
			? `It must match this JSON Schema:\n${schema}`
			: `It must have the same structure as this example: the same keys, and values of the same types. The values themselves are placeholders, not the answer:\n${example}`;
	return `\n\n--- Output format ---\nYour final answer must be a single JSON value and nothing else: no text before or after it, and no code fence. ${demand}`;
}
