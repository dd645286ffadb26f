/** What is around a match is shown up to so many lines: above all the other cells of its row. */
const MAX_LINES_AROUND = 12;

const MAX_MATCHES = 20;

/** What is found stays in the conversation. */
const MAX_CHARACTERS = 6000;

/**
 * Searches an outline: the lines that contain the text, in any case, with the elements that they
 * are in, and with what is in them. If no line contains it, those that contain all of its words.
 */
export function findInOutline(outline: string, text: string): string {
	const lines = outline.split('\n');
	const wanted = normalize(text);
	if (wanted === '') return 'Nothing to search for.';

	const normalized = lines.map(normalize);
	const words = wanted.split(' ');
	let matches = indexesOf(normalized, (line) => line.includes(wanted));
	if (matches.length === 0) {
		matches = indexesOf(normalized, (line) => words.every((word) => line.includes(word)));
	}
	if (matches.length === 0) return `Nothing on this page contains ${JSON.stringify(text)}.`;

	const depths = lines.map(depthOf);
	const parents = toParents(depths);
	const parts = toParts(depths, parents, matches);
	const shown = new Set(
		parts.slice(0, MAX_MATCHES).flatMap((part) => withAncestors(parents, part)),
	);
	const excerpt = toExcerpt(lines, [...shown]);
	const count = `${parts.length} ${parts.length === 1 ? 'match' : 'matches'}`;
	const limit = parts.length > MAX_MATCHES ? `, the first ${MAX_MATCHES} of them` : '';
	return `${count}${limit}:\n${excerpt}`;
}

function normalize(text: string): string {
	return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

function indexesOf(lines: string[], isMatch: (line: string) => boolean): number[] {
	return lines.flatMap((line, index) => (isMatch(line) ? [index] : []));
}

function depthOf(line: string): number {
	return line.length - line.trimStart().length;
}

/** The lines from `begin` up to, and without, `end`. */
interface Part {
	begin: number;
	end: number;
}

/** The index of the line of the element that each line is in, or -1. */
function toParents(depths: number[]): number[] {
	const open: number[] = [];
	return depths.map((depth, index) => {
		while (open.length > 0 && depths[open.at(-1)!]! >= depth) open.pop();
		const parent = open.at(-1) ?? -1;
		open.push(index);
		return parent;
	});
}

/** Where the matches are, without those that are in the part of another one. */
function toParts(depths: number[], parents: number[], matches: number[]): Part[] {
	const parts: Part[] = [];
	for (const match of matches) {
		const last = parts.at(-1);
		if (!last || match >= last.end) parts.push(toPart(depths, parents[match]!, match));
	}
	return parts;
}

/** The element that the line is in, if it is small, such as a row; else that of the line itself. */
function toPart(depths: number[], parent: number, index: number): Part {
	const limit = parent + MAX_LINES_AROUND;
	const end = parent === -1 ? Infinity : endOf(depths, parent, limit + 1);
	if (end <= limit) return { begin: parent, end };
	return { begin: index, end: endOf(depths, index, index + MAX_LINES_AROUND) };
}

/** The index after the last line that is inside the element of this line, or the limit. */
function endOf(depths: number[], index: number, limit: number): number {
	const depth = depths[index]!;
	let end = index + 1;
	while (end < depths.length && end < limit && depths[end]! > depth) end++;
	return end;
}

/** The part's lines, and those of the elements that it is in. */
function withAncestors(parents: number[], { begin, end }: Part): number[] {
	const indexes = Array.from({ length: end - begin }, (_, offset) => begin + offset);
	for (let ancestor = parents[begin]!; ancestor !== -1; ancestor = parents[ancestor]!) {
		indexes.push(ancestor);
	}
	return indexes;
}

function toExcerpt(lines: string[], indexes: number[]): string {
	let characters = 0;
	const excerpt: string[] = [];
	for (const index of indexes.toSorted((one, other) => one - other)) {
		// Ancestors may have their whole text in their name.
		const line = (lines[index] ?? '').slice(0, 500);
		characters += line.length + 1;
		if (characters > MAX_CHARACTERS) return [...excerpt, '(and more)'].join('\n');
		excerpt.push(line);
	}
	return excerpt.join('\n');
}
