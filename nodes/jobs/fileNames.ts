// Control and format characters: some hide a file's real extension by changing the reading
// direction.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
// Such files are hidden, and programs read their settings from them.
const HIDDEN = /^\.+/;
const MAX_CHARACTERS = 200;

/**
 * Returns names that are safe to store files under, in the same order: without folders, and none of
 * them empty, hidden or used twice. Upper and lower case count as the same.
 */
export function toSafeFileNames(names: Array<string | undefined>): string[] {
	const taken = new Set<string>();
	// The last suffix of each name: counting from 1 again would take quadratic time, a second for a
	// thousand equal names.
	const copies = new Map<string, number>();
	return names.map((name, index) => {
		const safe = toSafeFileName(name ?? '', `file_${index + 1}`);
		const key = safe.toLowerCase();
		let copy = copies.get(key) ?? 1;
		let unique = safe;
		while (taken.has(unique.toLowerCase())) unique = numbered(safe, ++copy);
		copies.set(key, copy);
		taken.add(unique.toLowerCase());
		return unique;
	});
}

function toSafeFileName(name: string, fallback: string): string {
	const base = name.replace(INVISIBLE, '').split(/[/\\]/).at(-1)?.trim() ?? '';
	if (/^\.*$/.test(base)) return fallback;
	// The end of a long name has the extension, which tells what kind of file it is.
	return base
		.slice(-MAX_CHARACTERS)
		.replace(/\p{Cs}/gu, '_')
		.replace(HIDDEN, '_');
}

function numbered(name: string, copy: number): string {
	return name.replace(/(?=\.[^.]*$)|$/, ` (${copy})`);
}
