export const FENCE = '```';
// In prose, JSON may begin at any bracket. Trying one costs as much as reading 500 more characters.
const MAX_READ = 2_000_000;
const LEVELS: Record<string, number> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/**
 * The JSON in a text: the whole, its code fence, or its only object or array; undefined without
 * one.
 */
export function findJson(text: string): string | undefined {
	const json = [text.trim(), findFenced(text)].find(isJson);
	if (json !== undefined) return json;
	const [value, ...others] = valuesIn(text);
	return others.length === 0 ? value : undefined;
}

/** What is between the first code fence of a text and the last one, without the language. */
export function findFenced(text: string): string | undefined {
	const start = text.indexOf(FENCE) + FENCE.length;
	const end = text.lastIndexOf(FENCE);
	if (end < start) return undefined;
	const [language = ''] = /^[\w-]{0,40}/.exec(text.slice(start)) ?? [];
	return text.slice(start + language.length, end).trim();
}

// Up to two objects and arrays, the outermost ones.
function valuesIn(text: string): string[] {
	const values: string[] = [];
	let unread = MAX_READ;
	for (let start = 0; start < text.length && values.length < 2; start++) {
		if (text[start] !== '{' && text[start] !== '[') continue;
		const end = endOfBrackets(text, start);
		unread -= 500 + (end ?? text.length) - start;
		if (unread < 0) return [];
		const candidate = text.slice(start, end);
		if (end === undefined || !isJson(candidate)) continue;
		values.push(candidate);
		start = end - 1;
	}
	return values;
}

// Where all brackets are closed that were opened since `start`, if they are; those within strings
// don't count.
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
