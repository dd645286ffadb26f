export const FENCE = '```';
// In prose, JSON may begin at any bracket. Trying one costs as much as reading `TRIAL_COST` more
// characters.
const MAX_READ = 2_000_000;
const TRIAL_COST = 500;
/** How a bracket changes the level. */
const LEVELS: Record<string, number> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/**
 * Returns the JSON in a text: the whole text, the content of its code fence, or its only object or
 * array. Returns undefined if there is none or more than one, or if there are too many brackets
 * to try.
 */
export function findJson(text: string): string | undefined {
	const json = [text.trim(), findFenced(text)].find(isJson);
	if (json !== undefined) return json;
	const [value, ...others] = valuesIn(text);
	return others.length === 0 ? value : undefined;
}

/**
 * Returns what is between the first code fence of a text and the last one, without the language.
 * Returns undefined if there are fewer than two fences.
 */
export function findFenced(text: string): string | undefined {
	const start = text.indexOf(FENCE) + FENCE.length;
	const end = text.lastIndexOf(FENCE);
	if (end < start) return undefined;
	const [language = ''] = /^[\w-]{0,40}/.exec(text.slice(start)) ?? [];
	return text.slice(start + language.length, end).trim();
}

// Returns the first two outermost objects and arrays, or none if there are too many brackets to
// try.
function valuesIn(text: string): string[] {
	const values: string[] = [];
	let unread = MAX_READ;
	for (let start = 0; start < text.length && values.length < 2; start++) {
		if (text[start] !== '{' && text[start] !== '[') continue;
		const end = endOfBrackets(text, start);
		unread -= TRIAL_COST + (end ?? text.length) - start;
		if (unread < 0) return [];
		const candidate = text.slice(start, end);
		if (end === undefined || !isJson(candidate)) continue;
		values.push(candidate);
		start = end - 1;
	}
	return values;
}

// Returns the index after which all brackets since `start` are closed, or undefined if they are
// not. Ignores brackets within strings.
function endOfBrackets(text: string, start: number): number | undefined {
	let level = 0;
	let isInString = false;
	for (let at = start; at < text.length; at++) {
		const character = text[at] as string;
		if (character === '\\') at++;
		else if (character === '"') isInString = !isInString;
		else if (!isInString) level += LEVELS[character] ?? 0;
		if (level === 0) return at + 1;
	}
	return undefined;
}

function isJson(text = ''): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
