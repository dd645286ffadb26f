import type { JsonSchema } from './subschemas';

/**
 * The schema of values that look like an example. Each key of an object is required, and further keys
 * are allowed. A number stands for any number, `null` and an empty array for anything. Entries of an
 * array may look like any of the example's entries.
 */
export function schemaFromExample(example: unknown): JsonSchema {
	if (Array.isArray(example)) {
		return example.length === 0 ? {} : { type: 'array', items: anyOf(example) };
	}
	if (example === null) return {};
	if (typeof example !== 'object') return { type: typeof example };
	const entries = Object.entries(example as object);
	const properties = entries.map(([key, value]) => [key, schemaFromExample(value)]);
	return {
		type: 'object',
		properties: Object.fromEntries(properties) as JsonSchema,
		required: entries.map(([key]) => key),
	};
}

function anyOf(examples: unknown[]): JsonSchema {
	const schemas = new Set(examples.map((one) => JSON.stringify(schemaFromExample(one))));
	const distinct = [...schemas].map((schema) => JSON.parse(schema) as JsonSchema);
	return distinct.length === 1 ? (distinct[0] as JsonSchema) : { anyOf: distinct };
}
