const SPACE = ' '.charCodeAt(0);
// A character as percent-encoding, JSON or HTML writes it.
const ENCODED = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[bfnrt]|&#?[a-z0-9]+;/g;

/** A part of a text: its characters from `start` to `end`, exclusive. */
export interface Place {
	start: number;
	end: number;
}

/**
 * Searches the words of a text: its runs of ASCII letters and digits. A separator that
 * percent-encoding, JSON or HTML has encoded once still separates words: `a%2Fb` has the same words
 * as `a/b`.
 */
export class WordSearch {
	/** The text, with ASCII letters in lower case. */
	private readonly text: string;

	/** `text` with spaces in place of encoded separators. */
	private readonly separated: string;

	/** The character codes of `text`. */
	private readonly codes: Uint16Array;

	/** The character codes of all words, each preceded by a space. */
	private readonly sequence: Uint16Array;

	/** For each character of `sequence` but the spaces, its index in the text. */
	private readonly textIndexAt: Uint32Array;

	/** For each index in the text, the length of `sequence` for the text before it. */
	private readonly sequenceIndexAt: Uint32Array;

	constructor(text: string) {
		this.text = inLowerCase(text);
		this.separated = withoutEncoded(this.text);
		this.codes = codesOf(this.text);
		this.textIndexAt = new Uint32Array(text.length + 1);
		this.sequenceIndexAt = new Uint32Array(text.length + 1);

		const sequence = new Uint16Array(text.length + 1).fill(SPACE);
		let length = 0;
		for (let at = 0; at < text.length; at++) {
			this.sequenceIndexAt[at] = length;
			if (!isInWord(this.separated[at])) continue;
			if (!isInWord(this.separated[at - 1])) length++;
			sequence[length] = this.separated.charCodeAt(at);
			this.textIndexAt[length] = at;
			length++;
		}
		this.sequenceIndexAt[text.length] = length;
		this.sequence = sequence.subarray(0, length);
	}

	/**
	 * Finds the places at which the words of `sequence`, which `toSequences` returned, follow one
	 * another in the text, whatever separates them. A match may begin inside a longer word of the
	 * text and end inside another. A single word may match anywhere inside a longer one. The places
	 * are in the order of their starts, and may overlap.
	 */
	*find(sequence: string): Generator<Place> {
		const [first = ''] = sequence.split(' ', 1);
		const others = codesOf(sequence.slice(first.length));
		// The fast path: usually there is no match.
		if (!this.text.includes(first.slice(0, 16))) return;

		const restMatchesAt = new Uint8Array(this.sequence.length);
		if (others.length > 0) {
			for (const position of positionsOf(others, this.sequence)) restMatchesAt[position] = 1;
		}
		for (const start of positionsOf(codesOf(first), this.codes)) {
			const end = start + first.length;
			const next = this.sequenceIndexAt[end] ?? 0;
			if (others.length === 0) {
				yield { start, end };
			} else if (restMatchesAt[next] === 1 && !isInWord(this.text[end])) {
				yield { start, end: (this.textIndexAt[next + others.length - 1] ?? 0) + 1 };
			}
		}
	}

	/** Whether a place consists of whole words. */
	isWhole({ start, end }: Place): boolean {
		// An encoded character begins with one that is not part of a word, so after the place `text` is
		// enough.
		return !isInWord(this.separated[start - 1]) && !isInWord(this.text[end]);
	}
}

/**
 * Returns the words of a text that `WordSearch.find` can look for, separated by spaces, in up to
 * two ways: with its encoded separators treated as separators and, since the whole text may be
 * encoded once more (`a%2Fb` as `a%252Fb`), with them treated as words.
 */
export function toSequences(text: string): string[] {
	const lower = inLowerCase(text);
	const sequences = [withoutEncoded(lower), lower].map(
		(one) => one.match(/[a-z0-9]+/g)?.join(' ') ?? '',
	);
	return [...new Set(sequences)];
}

/**
 * Finds the positions at which `list` contains `wanted`, which must not be empty, by the algorithm
 * of Knuth, Morris and Pratt. Its work is linear in the length of both.
 */
export function* positionsOf(
	wanted: ArrayLike<number>,
	list: ArrayLike<number>,
): Generator<number> {
	// For each prefix of `wanted`, by its length, the length of the longest shorter prefix that is
	// also its suffix.
	const borders = new Uint32Array(wanted.length + 1);
	let matched = 0;
	for (let end = 1; end < wanted.length; end++) {
		while (matched > 0 && wanted[end] !== wanted[matched]) matched = borders[matched] ?? 0;
		if (wanted[end] === wanted[matched]) matched++;
		borders[end + 1] = matched;
	}

	matched = 0;
	for (let end = 0; end < list.length; end++) {
		while (matched > 0 && list[end] !== wanted[matched]) matched = borders[matched] ?? 0;
		if (list[end] === wanted[matched]) matched++;
		if (matched === wanted.length) {
			yield end + 1 - matched;
			matched = borders[matched] ?? 0;
		}
	}
}

function codesOf(text: string): Uint16Array {
	const codes = new Uint16Array(text.length);
	for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
	return codes;
}

// Leaves letters that are not ASCII alone: their lower case may be longer or shorter.
function inLowerCase(text: string): string {
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function withoutEncoded(text: string): string {
	return text.replace(ENCODED, (encoded) => ' '.repeat(encoded.length));
}

function isInWord(character = ''): boolean {
	return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}
