// Control and format characters: some hide a file's real ending by changing the reading direction.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
// Programs read their settings from such files.
const HIDDEN = /^\.+/;
const MAX_CHARACTERS = 200;

/** Names that are safe to store files under, in the same order: no folders, none empty or hidden or twice. */
export function toSafeFileNames(names: Array<string | undefined>): string[] {
	const taken = new Set<string>();
	return names.map((name, index) => {
		const safe = toSafeFileName(name ?? '', `file_${index + 1}`);
		let unique = safe;
		for (let copy = 2; taken.has(unique.toLowerCase()); copy++) unique = numbered(safe, copy);
		taken.add(unique.toLowerCase());
		return unique;
	});
}

function toSafeFileName(name: string, fallback: string): string {
	const base = name.replace(INVISIBLE, '').split(/[/\\]/).at(-1)?.trim() ?? '';
	if (/^\.*$/.test(base)) return fallback;
	// The end of a long name tells what kind of file it is.
	return base
		.slice(-MAX_CHARACTERS)
		.replace(/\p{Cs}/gu, '_')
		.replace(HIDDEN, '_');
}

function numbered(name: string, copy: number): string {
	return name.replace(/(?=\.[^.]*$)|$/, ` (${copy})`);
}
