const MAX_CHARACTERS = 200;
// No encoding makes slashes, spaces and control characters safe on every server in between, and there
// is none for lone surrogates.
const UNSAFE = /[\s/\\\p{Cc}\p{Cs}]/u;
const DOTS = ['.', '..'];

/** Whether an ID of a job or a workflow can be one segment of an address. */
export function isId(id: string): boolean {
	return id !== '' && id.length <= MAX_CHARACTERS && !UNSAFE.test(id) && !DOTS.includes(id);
}

/** The ID that a value is, as text; undefined for anything that can't be one. */
export function toId(value: unknown): string | undefined {
	// A fraction is no ID, and the last digits of a number beyond this are lost already.
	const isText = typeof value === 'string' || Number.isSafeInteger(value);
	const id = isText ? String(value).trim() : '';
	return isId(id) ? id : undefined;
}
