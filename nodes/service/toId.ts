const MAX_CHARACTERS = 200;
// No encoding makes slashes, spaces and control characters safe on every server in between, and
// there is none for lone surrogates.
const UNSAFE = /[\s/\\\p{Cc}\p{Cs}]/u;
const DOTS = ['.', '..'];

/** A value as an ID; undefined for what can't be one segment of an address. */
export function toId(value: unknown): string | undefined {
	// A fraction is no ID, and the last digits of a number beyond this are lost already.
	const id = typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : '';
	const isSegment = id !== '' && !UNSAFE.test(id) && !DOTS.includes(id);
	return isSegment && id.length <= MAX_CHARACTERS ? id : undefined;
}
