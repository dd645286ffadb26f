const MAX_LEVELS = 200;
// Parsing more would block n8n for about a second.
const MAX_VALUES = 500_000;
const MAX_FIELDS = 1_000;

/** What parsing a JSON text would take, found without parsing it. */
interface Size {
	values: number;
	levels: number;
}

/** The value of a direct field of an object, or a direct entry of a list, and its place in the text. */
interface Part extends Size {
	start: number;
	end: number;
}

/**
 * The data that a text is the JSON of; any other text as it is. What is nested more than 200 levels deep,
 * or has more than 500,000 values, stays JSON text: n8n copies data recursively, and is blocked while it
 * is parsed.
 */
export function parseJson(text: string): unknown {
	return isTooLarge(text) ? text : parsed(text);
}

/** Whether a text has more values or levels than data may have, if it is JSON. */
export function isTooLarge(text: string): boolean {
	return !isWithin(sizeOf(text).whole);
}

/** The same as `parseJson` for a response: of an object, only the fields that are too much stay text. */
export function parseBody(text: string): unknown {
	const { whole, parts, isCut } = sizeOf(text);
	if (isWithin(whole)) return parsed(text);
	if (isCut || !text.trimStart().startsWith('{') || parts.length > MAX_FIELDS) return text;
	let keptValues = 0;
	let result = '';
	let copiedTo = 0;
	for (const { start, end, values, levels } of parts) {
		if (isWithin({ values: keptValues + values, levels })) {
			keptValues += values;
			continue;
		}
		result += text.slice(copiedTo, start) + JSON.stringify(text.slice(start, end).trim());
		copiedTo = end;
	}
	return parsed(result + text.slice(copiedTo), text);
}

function parsed(text: string, otherwise: unknown = text): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return otherwise;
	}
}

function isWithin({ values, levels }: Size): boolean {
	return values <= MAX_VALUES && levels <= MAX_LEVELS;
}

/** `isCut`: the text ends within an object or list, so that its last part has no end. */
function sizeOf(text: string): { whole: Size; parts: Part[]; isCut: boolean } {
	const whole: Size = { values: 1, levels: 0 };
	const parts: Part[] = [];
	let part: Part = { start: 0, end: 0, values: 1, levels: 0 };
	let level = 0;
	const count = () => {
		whole.values++;
		part.values++;
	};
	const endPart = (end: number) => {
		// One too many is enough to know.
		if (parts.length <= MAX_FIELDS) parts.push({ ...part, end });
		part = { start: end + 1, end, values: 0, levels: 0 };
	};
	for (let index = 0; index < text.length; index++) {
		switch (text[index]) {
			case '"':
				index = endOfQuote(text, index);
				break;
			case '[':
			case '{':
				count();
				part.levels = Math.max(part.levels, ++level);
				whole.levels = Math.max(whole.levels, level);
				break;
			case ':':
				if (level === 1) part.start = index + 1;
				break;
			case ',':
				if (level === 1) endPart(index);
				count();
				break;
			case ']':
			case '}':
				if (--level === 0) endPart(index);
		}
	}
	return { whole, parts, isCut: level > 0 };
}

function endOfQuote(text: string, start: number): number {
	let index = start + 1;
	while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
	return index;
}
