const MAX_LEVELS = 200;
// Parsing more would block n8n for about a second.
const MAX_VALUES = 500_000;
const MAX_FIELDS = 1_000;

/** A field of an object, and what parsing it would take; its value is at `start` to `end` of the text. */
interface Field {
	start: number;
	end: number;
	values: number;
	levels: number;
}

/**
 * The data that a text is the JSON of; any other text, and what has more than 200 levels or 500,000 values,
 * as it is: n8n copies data recursively, and is blocked while it is parsed.
 */
export function parseJson(text: string): unknown {
	return isTooLarge(text) ? text : parsed(text);
}

/** Whether a text has more values or levels than data may have, if it is JSON. */
export function isTooLarge(text: string): boolean {
	const fields = fieldsOf(text);
	const values = fields.reduce((sum, field) => sum + field.values, 0);
	return values > MAX_VALUES || fields.some(({ levels }) => levels > MAX_LEVELS);
}

/** The same as `parseJson` for a response: of an object, only the fields that are too much stay text. */
export function parseBody(text: string): unknown {
	let keptValues = 0;
	let result = '';
	let copiedTo = 0;
	for (const { start, end, values, levels } of fieldsOf(text)) {
		if (keptValues + values <= MAX_VALUES && levels <= MAX_LEVELS) {
			keptValues += values;
		} else {
			result += text.slice(copiedTo, start) + JSON.stringify(text.slice(start, end).trim());
			copiedTo = end;
		}
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

/** The fields of an object; any other text as one. Found without parsing, since it may be too much. */
function fieldsOf(text: string): Field[] {
	const fields: Field[] = [];
	const isObject = text.trimStart().startsWith('{');
	let field: Field = { start: 0, end: text.length, values: 1, levels: 0 };
	let level = 0;
	const isBetweenFields = () => isObject && level === 1 && fields.length < MAX_FIELDS;
	for (let index = 0; index < text.length; index++) {
		switch (text[index]) {
			case '"':
				index = endOfQuote(text, index);
				break;
			case '[':
			case '{':
				field.values++;
				field.levels = Math.max(field.levels, ++level);
				break;
			case ':':
				if (isBetweenFields()) field.start = index + 1;
				break;
			case ',':
				if (isBetweenFields()) {
					fields.push({ ...field, end: index });
					field = { start: index + 1, end: text.length, values: 0, levels: level };
				}
				field.values++;
				break;
			case ']':
			case '}':
				if (--level === 0) return [...fields, { ...field, end: index }];
		}
	}
	return [...fields, field];
}

function endOfQuote(text: string, start: number): number {
	let index = start + 1;
	while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
	return index;
}
