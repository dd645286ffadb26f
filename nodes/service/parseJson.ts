// n8n copies data recursively, so deeper data could overflow its stack. `JSON.parse` can't.
const MAX_LEVELS = 200;

/** Parses JSON. Returns `text` itself if it is not JSON, or is nested more than 200 levels deep. */
export function parseJson(text: string): unknown {
	const data = parsed(text);
	return isTooDeep(data) ? text : data;
}

/** Whether JSON is nested more than 200 levels deep. False for text that is not JSON. */
export function isJsonTooDeep(json: string): boolean {
	return isTooDeep(parsed(json));
}

/**
 * Parses the body of a response. A field with more than 200 levels stays JSON text, so that a job's
 * deep output neither hides its status nor is lost. Returns `text` itself if it is not JSON.
 */
export function parseBody(text: string): unknown {
	// A walk through the data would take longer than one along the text.
	const shallow = withDeepFieldsAsText(text);
	if (shallow === undefined) return text;
	// A field that has become text may hide that the whole is not JSON.
	const isJson = shallow === text || parsed(text) !== text;
	return isJson ? parsed(shallow) : text;
}

// Marks a string that stands for a number. No text that a service sends has this character.
const DIGITS = '\ue000';
const MARKED = /"\ue000(-?\d+)"/g;
const WHOLE_NUMBER = /-?\d{16,}(?![\d.e])/iy;

/**
 * Parses JSON, in which whole numbers that JavaScript would round become marked strings, which
 * `stringifyWithAllDigits` turns into numbers again. Returns `text` itself if it is not JSON.
 */
export function parseWithAllDigits(text: string): unknown {
	let marked = '';
	let copiedTo = 0;
	for (let index = 0; index < text.length; index++) {
		const character = text[index] ?? '';
		if (character === '"') {
			index = endOfString(text, index);
		} else if (character === '-' || (character >= '0' && character <= '9')) {
			WHOLE_NUMBER.lastIndex = index;
			const [digits = ''] = WHOLE_NUMBER.exec(text) ?? [];
			if (digits !== '' && !Number.isSafeInteger(Number(digits))) {
				marked += `${text.slice(copiedTo, index)}"${DIGITS}${digits}"`;
				copiedTo = index + digits.length;
			}
			index += Math.max(0, digits.length - 1);
		}
	}
	return parsed(marked + text.slice(copiedTo));
}

/** Returns data of `parseWithAllDigits` as JSON, with all digits; '' for undefined. */
export function stringifyWithAllDigits(data: unknown): string {
	return (JSON.stringify(data) ?? '').replace(MARKED, '$1');
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Whether data has more than `levels` levels. Goes no deeper. */
export function isTooDeep(data: unknown, levels = MAX_LEVELS): boolean {
	if (typeof data !== 'object' || data === null) return false;
	return levels === 0 || Object.values(data).some((value) => isTooDeep(value, levels - 1));
}

/**
 * Returns JSON with its fields that are too deep as text: as they are, whatever is in them. A text
 * that is not JSON may become JSON by that. Returns undefined if brackets are left open, as in a
 * response that was cut off: to find that out, `JSON.parse` takes a second for a few megabytes.
 */
function withDeepFieldsAsText(json: string): string | undefined {
	let shallow = '';
	let copiedTo = 0;
	let start = 0;
	let level = 0;
	let deepest = 0;
	for (let index = 0; index < json.length; index++) {
		const character = json[index];
		if (character === '"') {
			index = endOfString(json, index);
		} else if (character === '[' || character === '{') {
			level++;
			if (level === 2) {
				start = index;
				deepest = 0;
			}
			deepest = Math.max(deepest, level);
		} else if (character === ']' || character === '}') {
			level--;
			if (level === 1 && deepest > 1 + MAX_LEVELS) {
				const field = JSON.stringify(json.slice(start, index + 1));
				shallow += json.slice(copiedTo, start) + field;
				copiedTo = index + 1;
			}
		}
	}
	return level === 0 ? shallow + json.slice(copiedTo) : undefined;
}

function endOfString(json: string, start: number): number {
	let index = start + 1;
	while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
	return index;
}
