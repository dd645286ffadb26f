import { isObject } from '../isObject';
import { JsonReader, matchAt } from './JsonReader';

const FENCE = /`{3,}|~{3,}/g;
// The rest of a fence's line, or the language before the JSON if that begins on the same line.
const INFO = /[^\n{[`~]*\n|[ \t]*[\w+#.-]*/y;
// All of the line, e.g. with attributes in braces.
const INFO_LINE = /[^\n`~]*\n/y;
const BRACKET = /[[{]/g;
/** How a bracket changes the level. */
const LEVELS: Record<string, number> = { '{': 1, '[': 1, '}': -1, ']': -1 };
// In Markdown, an open task in a list.
const CHECKBOX = '[ ]';
// More than any answer has.
const MAX_FENCES = 1_000;
const MAX_VALUES = 1_000;
// How many characters may be read in the search for values between other text.
const MAX_READ = 5_000_000;

/**
 * Returns the JSON in a text: the whole text or, if that is none, what is in code fences or, if
 * nothing there is, the outermost objects and arrays. Equal data counts once. Each is repaired as
 * `JsonReader` does, and JSON of a text that is JSON itself is unpacked. Returns none if there are
 * too many to read.
 */
export function findJson(text: string): string[] {
	const whole = toJson(text);
	if (whole !== undefined) return [whole];
	const fenced = fencedIn(text).filter((json) => json !== undefined);
	return distinct(fenced.length > 0 ? fenced : valuesIn(text));
}

/**
 * Returns the JSON of a text that is JSON as a whole, or in its only code fence; fences with equal
 * data count as one. Returns undefined for any other text. `unpacks`: whether JSON of a text that
 * is JSON itself is unpacked.
 */
export function findOnlyJson(text: string, unpacks = true): string | undefined {
	const whole = toJson(text, unpacks);
	if (whole !== undefined) return whole;
	const fenced = fencedIn(text, unpacks);
	const json = fenced.filter((one) => one !== undefined);
	const [only, ...others] = distinct(json);
	return others.length === 0 && json.length === fenced.length ? only : undefined;
}

function toJson(text: string, unpacks = true): string | undefined {
	const trimmed = text.trim();
	if (isJson(trimmed)) return unpacks ? unpacked(trimmed) : trimmed;
	const reader = new JsonReader(text);
	const isRead = reader.readValue() && reader.isAtEnd() && isJson(reader.json);
	if (!isRead) return undefined;
	return unpacks ? unpacked(reader.json) : reader.json;
}

/** Returns the object or array in JSON of a text, and any other JSON as it is. */
function unpacked(json: string): string {
	if (!json.startsWith('"')) return json;
	const inner = findOnlyJson(JSON.parse(json) as string, false) ?? '';
	return isObjectOrArray(inner) ? inner : json;
}

/** Whether JSON is that of an object or array. */
export function isObjectOrArray(json: string): boolean {
	return json.startsWith('{') || json.startsWith('[');
}

/**
 * Returns the contents of code fences, outer ones that contain others left out: the JSON, or
 * undefined for anything else.
 */
function fencedIn(text: string, unpacks = true): Array<string | undefined> {
	const fences = [...text.matchAll(FENCE)];
	if (fences.length > MAX_FENCES) return [];

	const contents: Array<string | undefined> = [];
	for (let index = 0; index < fences.length; index++) {
		const opening = fences[index] as RegExpExecArray;
		const closes = (fence: RegExpExecArray) => fence[0].startsWith(opening[0]);
		const start = opening.index + opening[0].length;
		const { reader, isRead } = readFenced(text, start);
		const holdsJson = isRead && !reader.isAtEnd() && isJson(reader.json);
		const closing = fences.findIndex((fence) => fence.index === reader.at && closes(fence));
		if (holdsJson && closing > index) {
			contents.push(unpacks ? unpacked(reader.json) : reader.json);
			index = closing;
			continue;
		}
		// A fence with a language opens another block.
		const end = fences.findIndex(
			(fence, other) => other > index && closes(fence) && !/\w/.test(after(text, fence)),
		);
		if (end === index + 1) {
			contents.push(undefined);
			index = end;
		}
	}
	return contents;
}

/** Reads the value in a fence whose opening ends at `start`: in that line, or below it. */
function readFenced(text: string, start: number): { reader: JsonReader; isRead: boolean } {
	const readAfter = (info: RegExp) => {
		const reader = new JsonReader(text, start + matchAt(info, text, start).length);
		return { reader, isRead: reader.readValue() };
	};
	const first = readAfter(INFO);
	return first.isRead || first.reader.isBegun ? first : readAfter(INFO_LINE);
}

function after(text: string, fence: RegExpExecArray): string {
	return text.charAt(fence.index + fence[0].length);
}

/**
 * Returns the outermost objects and arrays in a text. One that is broken or cut off is none, and
 * has none inside. A checkbox counts only if there is nothing else.
 */
function valuesIn(text: string): string[] {
	const values: string[] = [];
	const checkboxes: string[] = [];
	let unread = MAX_READ;
	let start = nextBracket(text, 0);
	while (start !== undefined) {
		const reader = new JsonReader(text, start);
		const isRead = reader.readValue();
		let end = reader.at;
		if (isRead) {
			const isCheckbox = text.slice(start, end) === CHECKBOX;
			if (isJson(reader.json)) (isCheckbox ? checkboxes : values).push(reader.json);
		} else if (reader.isBegun) {
			if (reader.isCutOff) break;
			const closed = endOfBrackets(text, start);
			unread -= (closed ?? text.length) - start;
			end = closed ?? end;
		}
		unread -= end - start;
		if (unread < 0) return [];
		start = nextBracket(text, end);
	}
	return values.length > 0 ? values : checkboxes;
}

function nextBracket(text: string, from: number): number | undefined {
	BRACKET.lastIndex = from;
	return BRACKET.exec(text)?.index;
}

/**
 * Returns the index after which all brackets since `start` are closed, or undefined if they are
 * not. Ignores brackets within strings, unless its quotes don't add up.
 */
function endOfBrackets(text: string, start: number, ignoresStrings = true): number | undefined {
	let level = 0;
	let isInString = false;
	for (let at = start; at < text.length; at++) {
		const character = text[at] as string;
		if (character === '\\') at++;
		else if (character === '"') isInString = ignoresStrings && !isInString;
		else if (!isInString) level += LEVELS[character] ?? 0;
		if (level === 0) return at + 1;
	}
	return ignoresStrings ? endOfBrackets(text, start, false) : undefined;
}

/** Returns those with different data; none if there are too many. */
function distinct(values: string[]): string[] {
	const byData = new Map(values.map((json) => [withSortedNames(json), json]));
	return byData.size > MAX_VALUES ? [] : [...byData.values()];
}

function withSortedNames(json: string): string {
	return JSON.stringify(JSON.parse(json), (_name, value: unknown) =>
		isObject(value)
			? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
			: value,
	);
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
