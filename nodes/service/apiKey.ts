// What people copy along with a key or a URL: white space, invisible characters, quotation marks.
const AROUND = /[\p{White_Space}\p{Cf}\p{Pi}\p{Pf}"'`„]/u;
const PREFIX = /^(?:authorization:\s*)?(?:bearer(?=\s|$))?/i;
// Visible ASCII, which an HTTP header may contain.
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const SPACE_OR_CONTROL = /[\p{White_Space}\p{Cc}\p{Cf}]/u;

/**
 * Returns the API key in what was entered: without white space and quotation marks around it, and
 * without a leading `Bearer ` or `Authorization: Bearer `. Returns '' if there is none. Never
 * throws: `checkApiKey` says whether the key can be sent.
 */
export function toApiKey(entered: unknown): string {
	// An expression may yield a number.
	const text = withoutSurroundings(String(entered ?? ''));
	return withoutSurroundings(text.replace(PREFIX, ''));
}

/** Throws an `Error` that says why a key from `toApiKey` can't be sent, without quoting it. */
export function checkApiKey(key: string): void {
	if (key === '') throw new Error("'API Key' is empty");
	if (SPACE_OR_CONTROL.test(key)) {
		throw new Error("'API Key' contains white space or control characters");
	}
	if (!VISIBLE_ASCII.test(key)) {
		throw new Error("'API Key' contains characters that an HTTP header can't contain");
	}
}

/** Returns a text without the white space, invisible characters and quotation marks around it. */
export function withoutSurroundings(text: string): string {
	const characters = [...text];
	const isKept = (character: string) => !AROUND.test(character);
	const start = characters.findIndex(isKept);
	return start < 0 ? '' : characters.slice(start, characters.findLastIndex(isKept) + 1).join('');
}
