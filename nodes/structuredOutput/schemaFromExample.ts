import type { JsonSchema } from './metaSchema';

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
