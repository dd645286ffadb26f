// No encoding makes slashes, spaces and control characters harmless on every server between, and
// there is none for half a character.
const UNSAFE = /[\s/\\\p{Cc}\p{Cs}]/u;
const DOTS = ['.', '..'];

/** Whether an ID can be one segment of an address. */
export function isPathSegment(id: string): boolean {
	return id !== '' && !UNSAFE.test(id) && !DOTS.includes(id);
}
