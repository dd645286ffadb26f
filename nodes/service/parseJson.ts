const MAX_LEVELS = 200;
// Parsing a million values takes a second, during which n8n does nothing else.
const MAX_MARKS = 250_000;
const MAX_FIELDS = 1_000;
const NAME = /^\s*("(?:[^"\\]|\\.)*")\s*:/;

/** What parsing a JSON text would take, found without parsing it. */
interface Cost {
	/** Commas, colons and opening brackets. */
	marks: number;
	levels: number;
	/** Where the first fields of the outermost object, or entries of the outermost list, end. */
	ends: number[];
}

/**
 * The data that a text is the JSON of; any other text as it is. What is nested more than 200 levels
 * deep, or has more than some 100,000 values, stays JSON text: n8n copies data recursively, and is
 * blocked while it is parsed. Of an object only the fields that are too much stay text.
 */
export function parseJson(text: string): unknown {
	try {
		const cost = costOf(text);
		return isWithin(cost) ? JSON.parse(text) : (parseFields(text, cost) ?? text);
	} catch {
		return text;
	}
}

function parseFields(text: string, { ends }: Cost): object | undefined {
	const trimmed = text.trim();
	if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || ends.length > MAX_FIELDS) {
		return undefined;
	}
	let marks = 0;
	let start = text.indexOf('{') + 1;
	const fields = ends.map((end) => {
		const field = text.slice(start, end);
		const cost = costOf(`{${field}}`);
		start = end + 1;
		if (isWithin({ ...cost, marks: marks + cost.marks })) {
			marks += cost.marks;
			return Object.entries(JSON.parse(`{${field}}`) as object)[0];
		}
		const [prefix, name = ''] = NAME.exec(field) ?? [''];
		return [JSON.parse(name), field.slice(prefix.length).trim()];
	});
	return Object.fromEntries(fields as Array<[string, unknown]>);
}

function isWithin({ marks, levels }: Cost): boolean {
	return marks <= MAX_MARKS && levels <= MAX_LEVELS;
}

function costOf(text: string): Cost {
	const cost: Cost = { marks: 0, levels: 0, ends: [] };
	let level = 0;
	const noteEnd = (index: number) => {
		// One too many is enough to know.
		if (cost.ends.length <= MAX_FIELDS) cost.ends.push(index);
	};
	for (let index = 0; index < text.length; index++) {
		switch (text[index]) {
			case '"':
				index = endOfQuote(text, index);
				break;
			case '[':
			case '{':
				cost.marks++;
				cost.levels = Math.max(cost.levels, ++level);
				break;
			case ',':
				if (level === 1) noteEnd(index);
				cost.marks++;
				break;
			case ':':
				cost.marks++;
				break;
			case ']':
			case '}':
				if (level-- === 1) noteEnd(index);
		}
	}
	return cost;
}

function endOfQuote(text: string, start: number): number {
	let index = start + 1;
	while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
	return index;
}
