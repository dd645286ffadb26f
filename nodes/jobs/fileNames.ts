// Control characters, line breaks, and what turns the reading direction and so hides a file's ending.
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
// Disks take 255, and a number may have to be added.
const LONGEST_BYTES = 200;

/**
 * Names that are safe to store files under, in the same order: without folders and control
 * characters, never empty, all different. Letters of all scripts stay.
 */
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

function toSafeFileName(name: string, nameless: string): string {
	const base = name.replace(INVISIBLE, '').split(/[/\\]/).at(-1)?.trim() ?? '';
	if (/^\.*$/.test(base)) return nameless;
	return Buffer.byteLength(base) <= LONGEST_BYTES ? base : shortened(base);
}

function shortened(name: string): string {
	const { stem, ending } = parts(name);
	let start = '';
	for (const character of stem) {
		if (Buffer.byteLength(start + character + ending) > LONGEST_BYTES) break;
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
