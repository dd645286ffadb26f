import { isObject } from '../isObject';
import { compilePattern, type Budget } from './compilePattern';
import { schemasIn, type JsonSchema } from './subschemas';

/** The start of the name of a format that stands for a pattern, which follows. */
export const PATTERN_FORMAT = 'pattern ';

// Of a step of the library, compared with a step of a pattern.
const LIBRARY_STEP = 3;
const MAX_COMPARISONS = 30_000_000;
// The library writes a whole pattern down for each name that matches it.
const MAX_PATTERN_CHARACTERS = 2_000;
const NEVER = '(?!)';

/** What the cost of a check depends on. */
interface Size {
	values: number;
	longestList: number;
	/** All property names. */
	keys: Set<string>;
}

/** Checks of texts, by their names. */
type Formats = Record<string, (text: string) => boolean>;

/**
 * Changes a schema so that the library spends the budget at each step, and leaves patterns to us: its
 * own have no limit. Returns the formats that stand for the patterns. Throws if the data is too much.
 */
export function adaptSchema(schema: JsonSchema, data: unknown, budget: Budget): Formats {
	const formats: Formats = {};
	const size: Size = { values: 0, longestList: 0, keys: new Set() };
	measure(data, size);
	// References are within the schema, whatever its name.
	delete schema.$id;
	for (const [, one] of schemasIn(schema)) {
		if (!isObject(one)) continue;
		countSteps(one, budget);
		if (one.uniqueItems === true) checkComparisons(size);
		Object.assign(formats, replacePattern(one, budget));
		if (isObject(one.patternProperties)) {
			one.patternProperties = byKeys(one.patternProperties, size.keys, budget);
		}
	}
	return formats;
}

function measure(value: unknown, size: Size): void {
	size.values++;
	if (typeof value !== 'object' || value === null) return;
	if (Array.isArray(value)) size.longestList = Math.max(size.longestList, value.length);
	else Object.keys(value).forEach((key) => size.keys.add(key));
	Object.values(value).forEach((one) => measure(one, size));
}

// The library reads this keyword, which we don't support, whenever it checks a value.
function countSteps(schema: JsonSchema, budget: Budget): void {
	const lists = Object.values(schema).filter(
		(value) => typeof value === 'object' && value !== null,
	);
	const steps = lists.reduce<number>((sum, list) => sum + Object.keys(list as object).length, 1);
	Object.defineProperty(schema, '$recursiveAnchor', {
		get: () => budget.spend(LIBRARY_STEP * steps),
	});
}

// The library compares each entry of a list with each other one.
function checkComparisons({ longestList, values }: Size): void {
	if (longestList * values <= MAX_COMPARISONS) return;
	throw new Error(`'uniqueItems' would take too long for a list of ${longestList} entries`);
}

function replacePattern(schema: JsonSchema, budget: Budget): Formats {
	const { pattern: source, allOf = [] } = schema;
	if (typeof source !== 'string') return {};
	const name = `${PATTERN_FORMAT}${source}`;
	const pattern = compilePattern(source);
	delete schema.pattern;
	schema.allOf = [...(allOf as unknown[]), { format: name }];
	return { [name]: (text) => pattern(text, budget) };
}

// Patterns of property names become lists of the names that they match.
function byKeys(properties: JsonSchema, keys: Set<string>, budget: Budget): JsonSchema {
	const entries = Object.entries(properties).flatMap(([source, schema], index) => {
		const pattern = compilePattern(source);
		const lists = toLists([...keys].filter((key) => pattern(key, budget)).map(escaped));
		budget.spend(lists.length * keys.size);
		// Two patterns may match the same names.
		return lists.map((list) => [`^(?:${list})$${'(?:)'.repeat(index)}`, schema]);
	});
	return Object.fromEntries(entries) as JsonSchema;
}

function toLists(names: string[]): string[] {
	// Even if there are no names: what is in the schema may be referred to.
	const lists = [NEVER];
	for (const name of names) {
		const list = lists.pop() ?? '';
		if (list.length < MAX_PATTERN_CHARACTERS) lists.push(`${list}|${name}`);
		else lists.push(list, name);
	}
	return lists;
}

function escaped(text: string): string {
	return text.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}
