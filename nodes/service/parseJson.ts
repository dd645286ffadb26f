// n8n copies data recursively, so deeper data could overflow its stack.
const MAX_LEVELS = 200;

/** Parses JSON. Returns `text` itself if it is not JSON, or is nested more than 200 levels deep. */
export function parseJson(text: string): unknown {
	return isTooDeep(text) ? text : parsed(text);
}

/** Whether JSON is nested more than 200 levels deep. */
export function isTooDeep(json: string): boolean {
	return deepValuesIn(json, 0).length > 0;
}

/**
 * Parses the body of a response. A value that makes the body more than 200 levels deep stays
 * JSON text. Returns `text` itself if it is not JSON.
 */
export function parseBody(text: string): unknown {
	let shallow = '';
	let copiedTo = 0;
	for (const { start, end } of deepValuesIn(text, 1)) {
		shallow += text.slice(copiedTo, start) + JSON.stringify(text.slice(start, end));
		copiedTo = end;
	}
	return parsed(shallow + text.slice(copiedTo), text);
}

function parsed(json: string, otherwise: unknown = json): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return otherwise;
	}
}

/**
 * Returns the positions of the arrays and objects at depth `ownLevel` of JSON whose nesting exceeds
 * the limit. Does not check whether it is JSON.
 */
function deepValuesIn(json: string, ownLevel: number): Array<{ start: number; end: number }> {
	const deepValues = [];
	let level = 0;
	let deepest = 0;
	let start = 0;
	for (let index = 0; index < json.length; index++) {
		const character = json[index];
		if (character === '"') {
			index = endOfQuote(json, index);
		} else if (character === '[' || character === '{') {
			if (level === ownLevel) {
				start = index;
				deepest = 0;
			}
			level++;
			deepest = Math.max(deepest, level);
		} else if (character === ']' || character === '}') {
			level--;
			if (level === ownLevel && deepest > MAX_LEVELS) deepValues.push({ start, end: index + 1 });
		}
	}
	return deepValues;
}

function endOfQuote(json: string, start: number): number {
	let index = start + 1;
	while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
	return index;
}
