import { NodeFailure } from '../errors/NodeFailure';
import { MAX_NAME_CHARACTERS, toPlainText } from '../errors/plainText';
import { parseJson } from '../service/parseJson';

/** How many entries a list may have. */
export const MAX_ENTRIES = 10_000;

const LOST_OBJECT = '[object Object]';

/** What to do about a value that `hasLostObject`, in a parameter where that can't be meant. */
export const LOST_OBJECT_ADVICE =
	'An expression inserts an object there. Insert a field of the object or, to insert all of it, add .toJsonString().';

// `value` comes from n8n and can be anything, since it may come from an expression. `name` is
// the parameter's display name; the functions that take it throw a `NodeFailure` that contains it.

/** Converts a value to text: an object becomes JSON, `undefined` and `null` become ''. */
export function toText(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value !== 'object') return String(value as number | boolean);
	// The JSON of a date is text.
	const json = jsonOf(value) ?? '';
	return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/**
 * Converts a value as `toText` does, but throws for NaN, an invalid date, a symbol and the like.
 */
export function toSentText(value: unknown, name: string): string {
	const isNothing = value === undefined || value === null;
	if (isNothing || typeof value === 'string' || isData(value)) return toText(value);
	throw valueError(name, `has a value that can't be sent as text: ${quoted(value)}`);
}

/** Converts a value as `toSentText` does, but throws for blank text, and for `[]` and `{}`. */
export function toRequiredText(value: unknown, name: string): string {
	const text = toSentText(value, name);
	const isNothing = typeof value === 'object' && ['[]', '{}'].includes(text);
	if (text.trim() === '' || isNothing) throw emptyError(name);
	return text;
}

/** Whether a value contains what JavaScript makes of an object in a text: its data is lost. */
export function hasLostObject(value: unknown): boolean {
	return toText(value).includes(LOST_OBJECT);
}

/** Throws for a value that `hasLostObject`, in a parameter where that can't be meant. */
export function requireNoLostObject(value: unknown, name: string): void {
	if (!hasLostObject(value)) return;
	throw valueError(name, `contains "${LOST_OBJECT}"`, LOST_OBJECT_ADVICE);
}

/** Returns a hint about a value that `hasLostObject`, in a parameter where that may be meant. */
export function lostObjectHint(name: string): string {
	return `'${name}' contains "${LOST_OBJECT}". If an expression inserts an object there, add .toJsonString() to it.`;
}

/**
 * Converts a number, which may be given as text. Throws if it is out of bounds (inclusive).
 * Without `min`, the number must be greater than 0.
 */
export function toNumber(
	value: unknown,
	name: string,
	{ min, max = Infinity, isWhole = false }: { min?: number; max?: number; isWhole?: boolean } = {},
): number {
	const number = toFiniteNumber(value, name);
	if (isWhole && !Number.isInteger(number)) {
		throw valueError(name, `is not a whole number: ${number}`);
	}
	const isLargeEnough = min === undefined ? number > 0 : number >= min;
	if (isLargeEnough && number <= max) return number;
	const least = min === undefined ? 'greater than 0' : `at least ${min}`;
	const range = max === Infinity ? least : `between ${min} and ${max}`;
	throw valueError(name, `must be ${range} (got ${number})`);
}

/**
 * Converts a boolean, which may be given as the text `true` or `false` in any case and with
 * whitespace around it: spreadsheets have TRUE, and Python has True.
 */
export function toBoolean(value: unknown, name: string): boolean {
	const plain = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (plain === true || plain === 'true') return true;
	if (plain === false || plain === 'false') return false;
	throw valueError(name, `is neither true nor false: ${quoted(value)}`);
}

/**
 * Returns the choice that a text stands for, whatever its case and the whitespace around it. Throws
 * if it is none of `choices`.
 */
export function toChoice<T extends string>(value: unknown, name: string, choices: readonly T[]): T {
	if (toText(value).trim() === '') throw emptyError(name);
	const wanted = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
	const choice = choices.find((one) => one.toLowerCase() === wanted);
	if (choice !== undefined) return choice;
	throw valueError(name, `has no option ${quoted(value)}`, `Choose one of: ${choices.join(', ')}.`);
}

/**
 * Returns the choices in a list, which may be given as JSON or as text with commas, in the order of
 * `choices`. A blank text stands for none. Throws for `undefined` and `null`, and if an entry is
 * none of `choices`.
 */
export function toChoices<T extends string>(
	value: unknown,
	name: string,
	choices: readonly T[],
): T[] {
	if (value === undefined || value === null) throw emptyError(name);
	const entries = splitList(value).filter((entry) => toText(entry).trim() !== '');
	const chosen = entries.map((entry) => toChoice(entry, name, choices));
	return choices.filter((choice) => chosen.includes(choice));
}

/**
 * Splits a list, given as an array, as JSON, or as text with commas or whitespace. Text is split
 * into at most 10,001 entries, enough to see that there are too many.
 */
export function splitList(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (value === undefined || value === null) return [];
	if (typeof value !== 'string') return [value];
	const array = value.trim().startsWith('[') ? parseJson(value) : undefined;
	if (Array.isArray(array)) return array;
	// The first entry is empty if the text begins with a separator.
	return value.split(/[\s,]+/, MAX_ENTRIES + 2).filter((entry) => entry !== '');
}

/**
 * Converts data, which may be given as JSON. Throws unless `isKind` is true of it; `what` describes
 * such data, e.g. 'an array'.
 */
export function toData(
	value: unknown,
	name: string,
	what: string,
	isKind: (data: unknown) => boolean,
): unknown {
	const data = typeof value === 'string' ? parseJson(value) : value;
	if (isKind(data) && isData(data)) return data;
	throw valueError(name, `is not ${what}: ${quoted(value)}`, `Enter ${what} or its JSON.`);
}

// The JSON of NaN and of an invalid date, including Luxon's dates, is null.
function isData(value: unknown): boolean {
	return typeof value === 'bigint' || ![undefined, 'null'].includes(jsonOf(value));
}

// Undefined for a symbol, a function and a cyclic object.
function jsonOf(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch {
		return undefined;
	}
}

function toFiniteNumber(value: unknown, name: string): number {
	if (toText(value).trim() === '') throw emptyError(name);
	const number = typeof value === 'string' ? Number(value) : value;
	if (typeof number === 'number' && Number.isFinite(number)) return number;
	throw valueError(name, `is not a number: ${quoted(value)}`, `Enter a number in '${name}'.`);
}

/** Creates the error for a value that must not be blank. */
export function emptyError(name: string): NodeFailure {
	return valueError(name, 'is empty', `Fill in '${name}'.`);
}

/** Creates the error for an invalid value. `what`: what is wrong; `advice`: what to do about it. */
function valueError(name: string, what: string, advice = `Change '${name}'.`): NodeFailure {
	return new NodeFailure(`'${name}' ${what}`, {
		description: `${advice} If it is an expression, check its value for this item.`,
	});
}

function quoted(value: unknown): string {
	const text = toPlainText(toText(value), MAX_NAME_CHARACTERS);
	if (text !== '') return `'${text}'`;
	return value !== null && typeof value === 'object'
		? "it can't be converted to JSON"
		: 'it is empty';
}
