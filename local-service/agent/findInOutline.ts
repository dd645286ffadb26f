/** Lines of what is around a match, above all the cells of its row. */
const MAX_LINES_BELOW = 12;

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

	// A row has the text of its cells in its own name: it is one match.
	const outermost = withoutInner(lines, matches);
	const shown = new Set(outermost.slice(0, MAX_MATCHES).flatMap((index) => around(lines, index)));
	const excerpt = toExcerpt(lines, [...shown]);
	const count = `${outermost.length} ${outermost.length === 1 ? 'match' : 'matches'}`;
	const limit = outermost.length > MAX_MATCHES ? `, the first ${MAX_MATCHES} of them` : '';
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

/** The index after the last line that is inside the element of this line. */
function endOf(lines: string[], index: number): number {
	const depth = depthOf(lines[index] ?? '');
	let end = index + 1;
	while (end < lines.length && depthOf(lines[end] ?? '') > depth) end++;
	return end;
}

function withoutInner(lines: string[], matches: number[]): number[] {
	let end = 0;
	return matches.filter((index) => {
		if (index < end) return false;
		end = Math.min(endOf(lines, index), index + MAX_LINES_BELOW);
		return true;
	});
}

/** The line, what is inside it, and the elements that it is in. */
function around(lines: string[], index: number): number[] {
	const indexes: number[] = [];
	let depth = depthOf(lines[index] ?? '');
	for (let above = index - 1; above >= 0 && depth > 0; above--) {
		const other = depthOf(lines[above] ?? '');
		if (other >= depth) continue;
		indexes.unshift(above);
		depth = other;
	}
	const end = Math.min(endOf(lines, index), index + MAX_LINES_BELOW);
	for (let inside = index; inside < end; inside++) indexes.push(inside);
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
