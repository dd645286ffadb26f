/** A JSON object of unchecked values: operations also run with request validation turned off. */
export type Fields = Record<string, unknown>;

/** Returns the fields of an object, and none of anything else. */
export function asFields(value: unknown): Fields {
	return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns the value if it is text. */
export function asText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** Returns the value if it is a boolean. */
export function asBoolean(value: unknown): boolean | undefined {
	return typeof value === 'boolean' ? value : undefined;
}

/** Returns the value if it is a number. */
export function asNumber(value: unknown): number | undefined {
	return typeof value === 'number' ? value : undefined;
}
