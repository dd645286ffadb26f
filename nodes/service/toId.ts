const MAX_CHARACTERS = 200;
// Even encoded, slashes, spaces and control characters are not safe with every proxy, and
// `encodeURIComponent` throws on lone surrogates.
const UNSAFE = /[\s/\\\p{Cc}\p{Cs}]/u;
const DOTS = ['.', '..'];

/** Returns a value as an ID, or undefined if it can't be a single segment of a URL's path. */
export function toId(value: unknown): string | undefined {
	// A fraction is not an ID, and an integer that is not safe has lost its last digits.
	const id = typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : '';
	const isSegment = id !== '' && !UNSAFE.test(id) && !DOTS.includes(id);
	return isSegment && id.length <= MAX_CHARACTERS ? id : undefined;
}
