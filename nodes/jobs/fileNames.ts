// Control and format characters: some hide a file's real extension by changing the reading
// direction.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
// Such files are hidden, and programs read their settings from them.
const HIDDEN = /^\.+/;
// Most file systems allow 255 bytes.
const MAX_BYTES = 240;
// What follows the last dot of a longer name is no extension.
const MAX_EXTENSION_BYTES = 40;
// Enough to have `MAX_BYTES`, whatever the characters.
const MAX_READ = 1_000;

/**
 * Returns names that are safe to store files under, in the same order: without folders, of at most
 * 240 bytes in UTF-8, and none of them empty, hidden or used twice. Upper and lower case count as
 * the same, and so do the composed and decomposed forms of a character.
 */
export function toSafeFileNames(names: Array<string | undefined>): string[] {
	const taken = new Set<string>();
	// The last suffix of each name: counting from 1 again would take quadratic time, a second for a
	// thousand equal names.
	const copies = new Map<string, number>();
	return names.map((name, index) => {
		const safe = toSafeFileName(name ?? '', `file_${index + 1}`);
		const key = toKey(safe);
		let copy = copies.get(key) ?? 1;
		let unique = safe;
		while (taken.has(toKey(unique))) unique = withinLimit(safe, ` (${++copy})`);
		copies.set(key, copy);
		taken.add(toKey(unique));
		return unique;
	});
}

function toKey(name: string): string {
	return name.normalize('NFC').toLowerCase();
}

function toSafeFileName(name: string, fallback: string): string {
	const base = name.replace(INVISIBLE, '').split(/[/\\]/).at(-1)?.trim() ?? '';
	if (/^\.*$/.test(base)) return fallback;
	return withinLimit(base.replace(/\p{Cs}/gu, '_').replace(HIDDEN, '_'));
}

/** Inserts a suffix before the extension, and shortens what is before them if necessary. */
function withinLimit(name: string, suffix = ''): string {
	const dot = name.lastIndexOf('.');
	const hasExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES;
	const end = hasExtension ? dot : name.length;
	const ending = suffix + name.slice(end);
	return shortened(name.slice(0, end), MAX_BYTES - Buffer.byteLength(ending)) + ending;
}

/** Returns as many whole characters from the beginning of a text as have at most `maxBytes`. */
function shortened(text: string, maxBytes: number): string {
	if (Buffer.byteLength(text) <= maxBytes) return text;
	const start = text.slice(0, MAX_READ);
	// What a reader takes for one character can consist of several, e.g. a letter and its accents.
	const segments = [...new Intl.Segmenter().segment(start)].map(({ segment }) => segment);
	return (
		beginning(segments, maxBytes) ||
		// With hundreds of accents, even the first one is too long.
		beginning([...start], maxBytes)
	);
}

function beginning(characters: string[], maxBytes: number): string {
	let result = '';
	let bytes = 0;
	for (const character of characters) {
		bytes += Buffer.byteLength(character);
		if (bytes > maxBytes) break;
		result += character;
	}
	return result;
}
