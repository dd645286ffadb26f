import type { JsonSchema } from './findMismatches';

/** What a job's output must match. Can be stored as JSON. */
export interface OutputSchema {
	/** A JSON Schema, as JSON text. */
	schema: string;
	/** The example from which the schema was derived, as JSON text. If unset, there was none. */
	example?: string;
}

/**
 * Returns a schema for values that look like an example. The example's keys are required, and more
 * keys are allowed; `null` and an empty array stand for anything. Entries of an array may look like
 * any of the example's entries.
 */
export function schemaFromExample(example: unknown): JsonSchema {
	if (example === null) return {};
	if (typeof example !== 'object') return { type: typeof example };

	const entries = Object.entries(example).map(([key, value]) => [key, schemaFromExample(value)]);
	const schemas = Object.fromEntries(entries) as Record<string, JsonSchema>;
	if (!Array.isArray(example)) {
		return { type: 'object', properties: schemas, required: Object.keys(schemas) };
	}
	const distinct = new Map(Object.values(schemas).map((one) => [JSON.stringify(one), one]));
	const [first, ...others] = distinct.values();
	if (first === undefined) return {};
	return { type: 'array', items: others.length === 0 ? first : { anyOf: [first, ...others] } };
}

/** Returns text to append to a directive, which tells the agent what its answer must match. */
export function toInstructions({ schema, example }: OutputSchema): string {
	const demand =
		example === undefined
			? `It must match this JSON Schema:\n${schema}`
			: `It must have the same structure as this example: the same keys, and values of the same types. The values themselves are placeholders, not the answer:\n${example}`;
	return `\n\n--- Output format ---\nYour final answer must be a single JSON value and nothing else: no text before or after it, and no code fence. ${demand}`;
}
