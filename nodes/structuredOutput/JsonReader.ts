const SPACE = /[\p{White_Space}\ufeff]*/uy;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
const CUT_OFF_SCALAR = /[\w.+-]{1,400}$/y;
// A name as in JavaScript or Python.
const OTHER_NAME = /(?:'[^'\n]{0,100}'|[\w$-]{1,100})[ \t]{0,10}:/y;
// Deeper data is too deep to be used, and could overflow the stack here.
const MAX_LEVELS = 1_000;

/**
 * Reads one JSON value from the middle of a text. Three mistakes of chat models are repaired:
 * control characters in a string stand for themselves, a comma before a closing bracket is dropped,
 * and any Unicode white space may separate tokens. Nothing is closed, quoted or completed. Takes
 * linear time.
 */
export class JsonReader {
	/** What was read so far, as JSON with the repairs. */
	json = '';

	/** Whether enough of an object or array was read to know that one is meant. */
	isBegun = false;

	/** Whether the text ended before the value did. */
	isCutOff = false;

	/** The index of the latest string. */
	private lastString = 0;

	/**
	 * `at`: the index to read from. Afterwards, of what follows the value or, if there is none, of
	 * what may be the beginning of another one.
	 */
	constructor(
		private readonly text: string,
		public at = 0,
	) {}

	/** Reads a value, and returns whether there is one. */
	readValue(level = 0): boolean {
		switch (this.next()) {
			case '{':
				return this.readList('}', level, () => this.readName() && this.readValue(level + 1));
			case '[':
				return this.readList(']', level, () => this.readValue(level + 1));
			case '"':
				return this.readString() && this.begin();
			default:
				return this.readScalar();
		}
	}

	/** Whether there is nothing but white space after what was read. */
	isAtEnd(): boolean {
		return this.next() === undefined;
	}

	/** Returns the next character that is not white space, and moves to it. */
	next(): string | undefined {
		this.at += matchAt(SPACE, this.text, this.at).length;
		return this.text[this.at];
	}

	private readList(closing: string, level: number, readEntry: () => boolean): boolean {
		if (level >= MAX_LEVELS) return false;
		this.take(1);
		let separator = '';
		while (this.next() !== closing) {
			this.json += separator;
			if (!readEntry()) return false;
			if (this.next() === closing) break;
			if (this.next() !== ',') return this.fail();
			// Kept only if another entry follows.
			separator = ',';
			this.at++;
		}
		this.take(1);
		return this.begin();
	}

	private readName(): boolean {
		if (this.next() !== '"') {
			this.isBegun ||= matchAt(OTHER_NAME, this.text, this.at) !== '';
			return this.fail();
		}
		if (!this.readString()) return false;
		if (this.next() !== ':') return this.fail();
		this.take(1);
		return this.begin();
	}

	private readString(): boolean {
		const start = this.at;
		let end = start + 1;
		while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
		this.lastString = start;
		if (end >= this.text.length) {
			this.isCutOff = true;
			this.at = start + 1;
			return false;
		}
		this.json += withEscapedControls(this.text.slice(start, end + 1));
		this.at = end + 1;
		return true;
	}

	private readScalar(): boolean {
		const { length } = matchAt(SCALAR, this.text, this.at);
		if (length === 0) return this.fail();
		this.take(length);
		return true;
	}

	private take(length: number): void {
		this.json += this.text.slice(this.at, this.at + length);
		this.at += length;
	}

	private begin(): true {
		this.isBegun = true;
		return true;
	}

	private fail(): false {
		this.at += matchAt(CUT_OFF_SCALAR, this.text, this.at).length;
		this.isCutOff = this.isAtEnd();
		// Quotes that end in the wrong place may enclose the beginning of another value.
		if (this.json.endsWith('"')) this.at = this.lastString + 1;
		return false;
	}
}

/** Returns what a sticky pattern matches at an index of a text, or ''. */
export function matchAt(pattern: RegExp, text: string, at: number): string {
	pattern.lastIndex = at;
	return pattern.exec(text)?.[0] ?? '';
}

// A backslash before a control character is no escape, and stays one that is invalid.
function withEscapedControls(string: string): string {
	if (!/\p{Cc}/u.test(string)) return string;
	return string.replace(/\\.|\p{Cc}/gsu, (one) =>
		one.startsWith('\\') ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
