// Control and format characters: some hide a file's real ending by changing the reading direction.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
// Unix hides such files, and Windows opens a device under these names.
const HIDDEN = /^\.+/;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const MAX_CHARACTERS_READ = 1_000;
// File systems take 255, and a number may have to be added.
const MAX_BYTES = 200;

/**
 * Names that are safe to store files under, in the same order: without folders and invisible
 * characters, never empty, hidden or reserved, all different. Letters of all scripts stay.
 */
export function toSafeFileNames(names: Array<string | undefined>): string[] {
	const taken = new Set<string>();
	const copies = new Map<string, number>();
	return names.map((name, index) => {
		const safe = toSafeFileName(name ?? '', `file_${index + 1}`);
		const key = safe.toLowerCase();
		let unique = safe;
		for (let copy = copies.get(key) ?? 1; taken.has(unique.toLowerCase()); ) {
			unique = numbered(safe, ++copy);
			copies.set(key, copy);
		}
		taken.add(unique.toLowerCase());
		return unique;
	});
}

function toSafeFileName(name: string, fallback: string): string {
	const visible = name
		.slice(-MAX_CHARACTERS_READ)
		.replace(INVISIBLE, '')
		.replace(/\p{Cs}/gu, '_');
	const base = visible.split(/[/\\]/).at(-1)?.trim() ?? '';
	if (/^\.*$/.test(base)) return fallback;
	const safe = base.replace(HIDDEN, '_').replace(RESERVED, '_$&').replace(/\.$/, '_');
	return Buffer.byteLength(safe) <= MAX_BYTES ? safe : shortened(safe);
}

function shortened(name: string): string {
	const { stem, ending } = parts(name);
	let start = '';
	for (const character of stem) {
		if (Buffer.byteLength(start + character + ending) > MAX_BYTES) break;
		start += character;
	}
	return start + ending;
}

function numbered(name: string, copy: number): string {
	const { stem, ending } = parts(name);
	return `${stem} (${copy})${ending}`;
}

function parts(name: string): { stem: string; ending: string } {
	const ending = /(?<=.)\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? '';
	return { stem: name.slice(0, name.length - ending.length), ending };
}
