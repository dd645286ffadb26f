// A mark at either end of a code fence, one that is cut off at the end of the text, or a bracket.
const MARK_OR_BRACKET = /`{3,}|~{3,}|(?<!\S)[`~]{1,2}$|[[\]{}]/g;
// The name of a language, right behind the mark that begins a block.
const LANGUAGE = /^[ \t]*[\w+./-]+(?=\s)/;
// The text of a block that is nothing but a JSON string. Marks and brackets within the string don't
// count.
const STRING_BLOCK = /^(?:[ \t]*[\w+./-]+\s)?\s*"(?:[^"\\]|\\.)*"(?=\s*(?:[`~]{3}|[`~]+$))/s;

// The closing quote is optional: otherwise, a text full of quotes would take quadratic time.
const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs;
const STRING_OR_OTHER = /"(?:[^"\\]|\\.)*"?|[^"]+/gs;
const CLOSING: Record<string, string> = { '[': ']', '{': '}' };

const ESCAPE_OR_CONTROL = /\\.|\p{Cc}/gsu;
// All of Unicode's white space.
const SPACES = /[\s\x85]+/g;
// A comma right after an opening bracket is left alone, since no entry ends there.
const COMMA_AT_END = /(?<![[{] ?),(?= ?[\]}])/g;

const MARK_OF_THOUGHTS = /<\/?think>/g;
// In Markdown, an open task in a list.
const OPEN_TASK = /^\[\p{Zs}\]$/u;
// More than any answer has.
const MAX_VALUES = 1_000;

/** What is before, between or after the marks of code fences. */
interface Section {
	text: string;
	/** Its outermost brackets with all that they contain, and those that close nothing. */
	pieces: string[];
}

/**
 * Returns the JSON in an answer of a chat model, parsed: the whole text or, if that is none, what
 * is in its code fences or, if nothing there is, its outermost objects and arrays. Without
 * `inProse`, those don't count. Thoughts before the answer are left out.
 *
 * Nothing is guessed: an open bracket or code fence may mean that the answer was cut off, so
 * nothing before it counts, because that may be a draft.
 *
 * Three slips are repaired, none of which can change the meaning: control characters in strings, a
 * comma before a closing bracket, and Unicode white space. If the JSON is a string that is itself
 * the JSON of an object or array, that is returned.
 *
 * Takes linear time. Returns nothing if there are more than 1,000 values.
 */
export function findJson(text: string, { inProse = true } = {}): unknown[] {
	return valuesIn(text, inProse).map(unpacked);
}

function valuesIn(text: string, inProse: boolean): unknown[] {
	const answer = withoutThoughts(text);
	const whole = parse(answer);
	if (whole !== undefined) return [whole];

	const sections = splitAtFences(answer);
	if (sections === undefined) return [];
	// The last mark begins a block that doesn't end.
	const isOpen = sections.length % 2 === 0;
	const blocks = isOpen ? [] : sections.filter((_, index) => index % 2 === 1);
	const inFences = valuesOf(blocks.map((block) => block.text.replace(LANGUAGE, '')));
	if (inFences.length > 0 || !inProse) return inFences;

	const pieces = (isOpen ? sections.slice(-1) : sections).flatMap((section) => section.pieces);
	const lacksBeginning = pieces.some((piece) => /^[\]}]/.test(piece));
	return lacksBeginning ? [] : valuesOf(pieces.filter((piece) => !OPEN_TASK.test(piece)));
}

/** Returns those of several texts that are JSON, parsed; none if there are too many. */
function valuesOf(texts: string[]): unknown[] {
	if (texts.length > MAX_VALUES) return [];
	return texts.map(parse).filter((value) => value !== undefined);
}

/**
 * Returns a text without the thoughts it begins with, which may contain others; '' if they don't
 * end.
 */
function withoutThoughts(text: string): string {
	let level = 0;
	let end = 0;
	for (const { 0: mark, index } of text.matchAll(MARK_OF_THOUGHTS)) {
		const isAnswer = level === 0 && text.slice(end, index).trim() !== '';
		if (isAnswer) break;
		level = mark === '<think>' ? level + 1 : Math.max(0, level - 1);
		end = index + mark.length;
	}
	return level === 0 ? text.slice(end) : '';
}

/**
 * Splits a text at its code fences: every second section is a block. Marks within brackets don't
 * count, since they may be part of a string. Returns undefined if brackets don't add up.
 */
function splitAtFences(text: string): Section[] | undefined {
	const sections: Section[] = [];
	let pieces: string[] = [];
	let start = 0;
	let at = 0;

	for (;;) {
		MARK_OR_BRACKET.lastIndex = at;
		const match = MARK_OR_BRACKET.exec(text);
		if (match === null) break;

		const { 0: token, index } = match;
		const isMark = /^[`~]/.test(token);
		if (isMark) {
			sections.push({ text: text.slice(start, index), pieces });
			pieces = [];
			start = index + token.length;
			const isBlock = sections.length % 2 === 1;
			const string = isBlock ? STRING_BLOCK.exec(text.slice(start)) : null;
			at = start + (string?.[0].length ?? 0);
		} else {
			const end = endOfBrackets(text, index);
			if (end === undefined) return undefined;
			pieces.push(text.slice(index, end));
			at = end;
		}
	}
	return [...sections, { text: text.slice(start), pieces }];
}

/**
 * Returns where the bracket at `start` is closed; undefined if it isn't, or if brackets within it
 * don't add up. Strings within it may contain any. A bracket that closes nothing ends at once.
 */
function endOfBrackets(text: string, start: number): number | undefined {
	const open: string[] = [];
	// `matchAll` begins there.
	STRING_OR_BRACKET.lastIndex = start;
	for (const { 0: token, index } of text.matchAll(STRING_OR_BRACKET)) {
		if (token.startsWith('"')) continue;

		const closing = CLOSING[token];
		if (closing !== undefined) {
			open.push(closing);
			continue;
		}
		const expected = open.pop();
		if (expected !== undefined && expected !== token) return undefined;
		if (open.length === 0) return index + token.length;
	}
	return undefined;
}

/** Parses JSON with its slips repaired; undefined if it is none. */
function parse(text: string): unknown {
	try {
		return JSON.parse(repaired(text));
	} catch {
		return undefined;
	}
}

/** Repairs the slips in a text. Changes nothing in valid JSON. */
function repaired(text: string): string {
	return text.replace(STRING_OR_OTHER, (part) =>
		part.startsWith('"')
			? part.replace(ESCAPE_OR_CONTROL, toEscape)
			: part.replace(SPACES, ' ').replace(COMMA_AT_END, ''),
	);
}

// A backslash before a control character escapes nothing, and stays invalid.
function toEscape(escapeOrControl: string): string {
	const isEscape = escapeOrControl.startsWith('\\');
	return isEscape ? escapeOrControl : JSON.stringify(escapeOrControl).slice(1, -1);
}

/** Returns the object or array whose JSON a string is; any other value as it is. */
function unpacked(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	const [inner, ...others] = valuesIn(value, false);
	const isPacked = typeof inner === 'object' && inner !== null && others.length === 0;
	return isPacked ? inner : value;
}
