// The mark at either end of a block of code, or one that is cut off at the end of the text.
const FENCE = /(`{3,}|~{3,}|(?<!\S)[`~]{1,2}$)/;
// What may follow the mark that begins a block.
const LANGUAGE = /^[ \t]*[\w+./-]+(?=\s)/;
const BRACKET = /[[\]{}]/g;
// The closing quote is optional: otherwise, a text full of quotes would take quadratic time.
const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs;
const CLOSING: Record<string, string> = { '[': ']', '{': '}' };

// A comma right after an opening bracket is matched to be left alone, since no entry ends there.
const SLIP =
	/(?<string>"(?:[^"\\]|\\.)*"?)|[[{][\p{White_Space}\ufeff]*,|(?<comma>,)(?=[\p{White_Space}\ufeff]*[\]}])|(?<space>(?:(?![ \t\n\r])[\p{White_Space}\ufeff])+)/gsu;
const ESCAPE_OR_CONTROL = /\\.|\p{Cc}/gsu;

const THOUGHTS = '<think>';
const MARK_OF_THOUGHTS = /<\/?think>/g;
// In Markdown, an open task in a list.
const OPEN_TASK = '[ ]';
// More than any answer has.
const MAX_VALUES = 1_000;

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

	const { fenced, rest } = splitAtFences(answer);
	const inFences = valuesOf(fenced);
	if (inFences.length > 0 || !inProse) return inFences;
	const isTask = (piece: string) => repaired(piece) === OPEN_TASK;
	return valuesOf((outermostBrackets(rest) ?? []).filter((piece) => !isTask(piece)));
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
		level = mark === THOUGHTS ? level + 1 : Math.max(0, level - 1);
		end = index + mark.length;
	}
	return level === 0 ? text.slice(end) : '';
}

/**
 * Returns the contents of the code fences of a text, and the part of the text in which other JSON
 * counts: what follows the last fence if that one is open. If a bracket is left open anywhere else
 * than in JSON, the fences may be part of a string, so none of them counts.
 */
function splitAtFences(text: string): { fenced: string[]; rest: string } {
	const pieces = text.split(FENCE);
	const parts = pieces.filter((_, index) => index % 2 === 0);

	// Strings of fenced JSON may contain fences, too.
	const inner = withoutLanguage(pieces.slice(2, -2).join(''));
	const around = [...parts.slice(0, 1), ...parts.slice(-1)];
	if (parse(inner) !== undefined && around.every(hasNoOpenBracket)) {
		return { fenced: [inner], rest: '' };
	}

	const isOpen = parts.length % 2 === 0;
	const rest = isOpen ? (parts.pop() ?? '') : text;
	const blocks = parts.filter((_, index) => index % 2 === 1).map(withoutLanguage);
	const others = parts.filter((_, index) => index % 2 === 0);
	const isSound =
		others.every(hasNoOpenBracket) &&
		blocks.every((block) => hasNoOpenBracket(block) || parse(block) !== undefined);
	if (!isSound) return { fenced: [], rest: text };
	return { fenced: isOpen ? [] : blocks, rest };
}

function withoutLanguage(block: string): string {
	return block.replace(LANGUAGE, '');
}

function hasNoOpenBracket(text: string): boolean {
	return outermostBrackets(text, { ignoresStray: true }) !== undefined;
}

/**
 * Returns the parts of a text that are in its outermost brackets, the brackets included. Undefined
 * if one isn't closed or, unless `ignoresStray`, closes nothing. Within brackets, strings may
 * contain any.
 */
function outermostBrackets(text: string, { ignoresStray = false } = {}): string[] | undefined {
	const pieces: string[] = [];
	const open: string[] = [];
	let start = 0;
	let at = 0;

	for (;;) {
		const pattern = open.length === 0 ? BRACKET : STRING_OR_BRACKET;
		pattern.lastIndex = at;
		const match = pattern.exec(text);
		if (match === null) break;

		const [token] = match;
		at = pattern.lastIndex;
		if (token.startsWith('"')) continue;

		const closing = CLOSING[token];
		if (closing !== undefined) {
			if (open.length === 0) start = match.index;
			open.push(closing);
			continue;
		}
		if (open.length === 0 && ignoresStray) continue;
		if (open.pop() !== token) return undefined;
		if (open.length === 0) pieces.push(text.slice(start, at));
	}
	return open.length === 0 ? pieces : undefined;
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
	return text.replace(SLIP, (token, string?: string, comma?: string, space?: string) => {
		if (string !== undefined) return withEscapedControls(string);
		if (comma !== undefined) return '';
		return space === undefined ? token : ' ';
	});
}

// A backslash before a control character escapes nothing, and stays invalid.
function withEscapedControls(string: string): string {
	return string.replace(ESCAPE_OR_CONTROL, (one) =>
		one.startsWith('\\') ? one : JSON.stringify(one).slice(1, -1),
	);
}

/** Returns the object or array whose JSON a string is; any other value as it is. */
function unpacked(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	const [inner, ...others] = valuesIn(value, false);
	const isPacked = typeof inner === 'object' && inner !== null && others.length === 0;
	return isPacked ? inner : value;
}
