import { parseJson } from '../service/parseJson';

const FENCE = '```';
// Within prose, every bracket may be the beginning of a value.
const MAX_PROSE_CHARACTERS = 250_000;
const MAX_STEPS = 10_000_000;

/**
 * The data in a job's output: the output itself if it is data; of text, the data that the whole text is
 * the JSON of, or its only code fence, or the only JSON object or array in it. Undefined if there is
 * none or more than one, and for data that is too large or nested too deeply. Never throws.
 */
export function findJson(output: unknown): unknown {
	if (typeof output !== 'string') return output;
	const text = output.trim();
	const data = [text, fencedIn(text)].map(toData).find((one) => one !== undefined);
	if (data !== undefined || text.length > MAX_PROSE_CHARACTERS) return data;
	const [value, ...others] = valuesIn(text);
	return others.length === 0 ? toData(value) : undefined;
}

/** What is in the code fence of a text, if it has exactly one. */
function fencedIn(text: string): string | undefined {
	const [, fenced, after, more] = text.split(FENCE, 4);
	if (fenced === undefined || after === undefined || more !== undefined) return undefined;
	return fenced.replace(/^[\w-]{0,40}/, '').trim();
}

/** Up to two JSON objects and arrays in a text, the outermost ones. */
function valuesIn(text: string): string[] {
	const values: string[] = [];
	const budget = { steps: MAX_STEPS };
	for (let start = 0; start < text.length && values.length < 2; start++) {
		if (text[start] !== '{' && text[start] !== '[') continue;
		const end = endOfValue(text, start, budget);
		if (end === undefined || !isJson(text.slice(start, end))) continue;
		values.push(text.slice(start, end));
		start = end - 1;
	}
	return budget.steps > 0 ? values : [];
}

/** Where all brackets are closed that were opened since `start`; brackets within strings don't count. */
function endOfValue(text: string, start: number, budget: { steps: number }): number | undefined {
	let level = 0;
	let isInString = false;
	for (let at = start; at < text.length && budget.steps-- > 0; at++) {
		const character = text[at] as string;
		if (isInString && character === '\\') at++;
		else if (character === '"') isInString = !isInString;
		else if (isInString) continue;
		else if ('{['.includes(character)) level++;
		else if (']}'.includes(character) && --level === 0) return at + 1;
	}
	return undefined;
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

// What is not JSON, or too large, stays text.
function toData(json: string | undefined): unknown {
	const data = json === undefined ? undefined : parseJson(json);
	return data === json ? undefined : data;
}
