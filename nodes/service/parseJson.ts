const MAX_LEVELS = 200;
// Parsing a million values takes a second, during which n8n does nothing else.
const MAX_MARKS = 250_000;
const MAX_FIELDS = 10_000;
export const BYTE_ORDER_MARK = '\ufeff';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The data that a text is the JSON of; any other text as it is. What is nested more than 200 levels
 * deep, or has more than some 100,000 values, stays JSON text: n8n copies data recursively, and is
 * blocked for as long as it is parsed. Of an object only the fields that are too much stay text.
 */
export function parseJson(text: string): unknown {
	const reader = new JsonReader();
	reader.add(Buffer.from(text));
	return reader.read();
}

/** A field of the outermost object, by its position in the text. */
interface Field {
	start: number;
	colon: number;
	end: number;
	marks: number;
	levels: number;
}

/** The same for a text that arrives in pieces, none of which takes more than a moment. */
export class JsonReader {
	private readonly chunks: Buffer[] = [];

	/** Where the current chunk begins in the text. */
	private offset = 0;

	private isInText = false;

	/** Whether the next chunk begins with a character after a backslash. */
	private isEscaped = false;

	private level = 0;

	/** Commas, colons and opening brackets. */
	private marks = 0;

	private maxLevels = 0;

	private readonly fields: Field[] = [];

	private field = newField(0);

	/** Where the outermost value ends. */
	private end: number | undefined;

	add(chunk: Buffer): void {
		this.chunks.push(chunk);
		for (let index = 0; index < chunk.length; index++) {
			if (this.isInText) index = this.passText(chunk, index);
			else this.pass(chunk[index] as number, this.offset + index);
		}
		this.offset += chunk.length;
	}

	read(): unknown {
		const bytes = Buffer.concat(this.chunks);
		const text = bytes.toString('utf8');
		const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
		try {
			if (isWithin(this.marks, this.maxLevels)) return JSON.parse(plain);
			return this.readFields(bytes) ?? plain;
		} catch {
			return plain;
		}
	}

	/** Goes on to the end of a text within quotes, or of the chunk; returns the last position. */
	private passText(chunk: Buffer, from: number): number {
		let index = this.isEscaped ? from + 1 : from;
		while (index < chunk.length && chunk[index] !== QUOTE)
			index += chunk[index] === BACKSLASH ? 2 : 1;
		this.isInText = index >= chunk.length;
		this.isEscaped = index > chunk.length;
		return index;
	}

	private pass(byte: number, position: number): void {
		switch (byte) {
			case QUOTE:
				this.isInText = true;
				break;
			case COLON:
				this.mark();
				if (this.level === 1 && this.field.colon === -1) this.field.colon = position;
				break;
			case COMMA:
				this.mark();
				if (this.level === 1) this.endField(position);
				break;
			case OPEN_ARRAY:
			case OPEN_OBJECT:
				this.mark();
				this.level++;
				this.maxLevels = Math.max(this.maxLevels, this.level);
				this.field.levels = Math.max(this.field.levels, this.level);
				if (this.level === 1) this.field = newField(position + 1);
				break;
			case CLOSE_ARRAY:
			case CLOSE_OBJECT:
				if (this.level === 1) this.endField(position);
				this.level--;
				if (this.level === 0) this.end ??= position;
		}
	}

	private mark(): void {
		this.marks++;
		this.field.marks++;
	}

	private endField(position: number): void {
		if (this.fields.length > MAX_FIELDS) return;
		this.field.end = position;
		this.fields.push(this.field);
		this.field = newField(position + 1);
	}

	/** Undefined unless it is one object with a bearable number of fields. */
	private readFields(bytes: Buffer): object | undefined {
		const before = bytes.subarray(0, this.fields[0]?.start).toString();
		const after = bytes.subarray((this.end ?? 0) + 1).toString();
		// Taken off by `trim`, too: the byte order mark.
		if (before.trim() !== '{' || after.trim() !== '' || this.fields.length > MAX_FIELDS) {
			return undefined;
		}
		let marks = 0;
		const entries = this.fields.map((field) => {
			const isData = isWithin(marks + field.marks, field.levels);
			if (isData) marks += field.marks;
			return entryOf(bytes, field, isData);
		});
		return Object.fromEntries(entries);
	}
}

function newField(start: number): Field {
	return { start, colon: -1, end: start, marks: 0, levels: 0 };
}

function isWithin(marks: number, levels: number): boolean {
	return marks <= MAX_MARKS && levels <= MAX_LEVELS;
}

function entryOf(bytes: Buffer, { start, colon, end }: Field, isData: boolean): [string, unknown] {
	const name = JSON.parse(bytes.toString('utf8', start, colon)) as string;
	const value = bytes.toString('utf8', colon + 1, end).trim();
	return [name, isData ? JSON.parse(value) : value];
}
