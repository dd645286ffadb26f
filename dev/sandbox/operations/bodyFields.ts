/** A JSON object of unchecked values: operations also run with request validation turned off. */
export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields {
	return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function asText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
	return typeof value === 'number' ? value : undefined;
}
