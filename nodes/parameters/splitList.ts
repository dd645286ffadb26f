import { parseJson } from '../service/parseJson';

/** How many entries a list may have. */
export const MAX_ENTRIES = 10_000;

/**
 * Splits a list, given as an array, as JSON, or as text with commas or whitespace. Text is split
 * into at most 10,001 entries, enough to see that there are too many.
 */
export function splitList(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (value === undefined || value === null) return [];
	if (typeof value !== 'string') return [value];
	const array = value.trim().startsWith('[') ? parseJson(value) : undefined;
	if (Array.isArray(array)) return array;
	// The first entry is empty if the text begins with a separator.
	return value.split(/[\s,]+/, MAX_ENTRIES + 2).filter((entry) => entry !== '');
}
