// Control characters, and invisible ones, some of which hide a file's real extension by changing
// the reading direction.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// Most file systems allow 255 bytes.
const MAX_BYTES = 240;
// What follows the last dot of a longer name is no extension.
const EXTENSION = /\.[^.]{1,20}$/u;

/**
 * Returns names that are safe to store files under, in the same order: without folders, control
 * characters and leading dots, of at most 240 bytes in UTF-8, and none of them empty or used twice.
 * Upper and lower case count as the same.
 */
export function toSafeFileNames(names: Array<string | undefined>): string[] {
	// The last number of each name in use.
	const numbers = new Map<string, number>();
	return names.map((name, index) => {
		const safe = toSafeFileName(name ?? '') || `file_${index + 1}`;
		let number = numbers.get(safe.toLowerCase()) ?? 1;
		let unique = safe;
		while (numbers.has(unique.toLowerCase())) unique = withinLimit(safe, ` (${++number})`);
		numbers.set(safe.toLowerCase(), number);
		numbers.set(unique.toLowerCase(), 1);
		return unique;
	});
}

function toSafeFileName(name: string): string {
	const base = name.replace(INVISIBLE, '').split(/[/\\]/).at(-1) ?? '';
	return withinLimit(base.replace(/^[.\s]+/, '').trimEnd());
}

/** Inserts a suffix before the extension, and shortens what is before them if necessary. */
function withinLimit(name: string, suffix = ''): string {
	const [extension = ''] = EXTENSION.exec(name) ?? [];
	const stem = name.slice(0, name.length - extension.length);
	const ending = suffix + extension;
	return shortened(stem, MAX_BYTES - Buffer.byteLength(ending)) + ending;
}

/** Returns as many whole characters from the beginning of a text as have at most `maxBytes`. */
function shortened(text: string, maxBytes: number): string {
	const bytes = Buffer.from(text).subarray(0, maxBytes);
	// With `stream`, the decoder holds back a character that is cut.
	return new TextDecoder().decode(bytes, { stream: true });
}
