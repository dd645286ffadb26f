export type Fields = Record<string, unknown>;

// Request validation can be turned off, so operations cannot rely on types in the body.

export function asFields(value: unknown): Fields {
	return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function asText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
	return typeof value === 'number' ? value : undefined;
}
