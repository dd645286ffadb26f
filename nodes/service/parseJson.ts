// n8n copies data recursively.
const MAX_LEVELS = 200;

/** The data that JSON stands for; other text, and JSON with more than 200 levels, as it is. */
export function parseJson(text: string): unknown {
	return isTooDeep(text) ? text : parsed(text);
}

/** Whether JSON has more than 200 levels. */
export function isTooDeep(json: string): boolean {
	return deepValuesIn(json, 0).length > 0;
}

/** The same for a response: only those values of its fields stay text that are too deep. */
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

/** Where lists and objects at a level of JSON are too deep. Whether it is JSON is not checked. */
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
