const SPACE = ' '.charCodeAt(0);
// What percent-encoding, JSON and HTML make of the characters between words.
const ENCODED = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[bfnrt]|&#?[a-z0-9]+;/g;

/** A part of a text: its characters from `start` up to, but without, `end`. */
export interface Place {
	start: number;
	end: number;
}

/**
 * The words of a text: its runs of ASCII letters and digits. A separator that is percent-, JSON- or
 * HTML-encoded once is no part of a word: `a%2Fb` has the same words as `a/b`.
 */
export class Words {
	/** In lower case. */
	private readonly text: string;

	/** The same with spaces in place of encoded separators. */
	private readonly separated: string;

	private readonly codes: Uint16Array;

	/** All words, each after a space, as character codes. */
	private readonly sequence: Uint16Array;

	/** For each character of `sequence`, where it is in the text. */
	private readonly places: Uint32Array;

	/** For each character of the text, where in `sequence` the words from there on begin. */
	private readonly lengths: Uint32Array;

	constructor(text: string) {
		this.text = inLowerCase(text);
		this.separated = withoutEncoded(this.text);
		this.codes = codesOf(this.text);
		this.places = new Uint32Array(text.length + 1);
		this.lengths = new Uint32Array(text.length + 1);

		const sequence = new Uint16Array(text.length + 1).fill(SPACE);
		let length = 0;
		for (let at = 0; at < text.length; at++) {
			this.lengths[at] = length;
			if (!isInWord(this.separated[at])) continue;
			if (!isInWord(this.separated[at - 1])) length++;
			sequence[length] = this.separated.charCodeAt(at);
			this.places[length] = at;
			length++;
		}
		this.lengths[text.length] = length;
		this.sequence = sequence.subarray(0, length);
	}

	/**
	 * Where words stand one after another in the text, whatever separates them. The first one may
	 * end a longer word there, the last one may begin one, and a single one may stand within one.
	 * The places are in their order, and may overlap.
	 *
	 * @param sequence Words as `toSequences` returns them.
	 */
	*find(sequence: string): Generator<Place> {
		const [first = ''] = sequence.split(' ', 1);
		const others = codesOf(sequence.slice(first.length));
		// Mostly it is not there at all, and this is much faster.
		if (!this.text.includes(first.slice(0, 16))) return;

		const areOthersAt = new Uint8Array(this.sequence.length);
		if (others.length > 0) {
			for (const place of placesOf(others, this.sequence)) areOthersAt[place] = 1;
		}
		for (const start of placesOf(codesOf(first), this.codes)) {
			const end = start + first.length;
			const next = this.lengths[end] ?? 0;
			if (others.length === 0) {
				yield { start, end };
			} else if (areOthersAt[next] === 1 && !isInWord(this.text[end])) {
				yield { start, end: (this.places[next + others.length - 1] ?? 0) + 1 };
			}
		}
	}

	/** Whether a place consists of whole words. */
	isWhole({ start, end }: Place): boolean {
		return !isInWord(this.separated[start - 1]) && !isInWord(this.text[end]);
	}
}

/**
 * The words of something to be found, separated by spaces, in up to two ways: with the encoded
 * separators that it contains taken for separators, and as it is, since the whole may be encoded
 * once more (`a%2Fb` to `a%252Fb`).
 */
export function toSequences(text: string): string[] {
	const lower = inLowerCase(text);
	const sequences = [withoutEncoded(lower), lower].map(
		(one) => one.match(/[a-z0-9]+/g)?.join(' ') ?? '',
	);
	return [...new Set(sequences)];
}

/**
 * The positions at which a list contains another one, by the algorithm of Knuth, Morris and Pratt:
 * with at most two comparisons for each entry of both, whatever they are.
 */
export function* placesOf(wanted: ArrayLike<number>, list: ArrayLike<number>): Generator<number> {
	// For each beginning of `wanted`, the length of the longest shorter one that it ends with.
	const borders = new Uint32Array(wanted.length + 1);
	for (let end = 1, matched = 0; end < wanted.length; end++) {
		while (matched > 0 && wanted[end] !== wanted[matched]) matched = borders[matched] ?? 0;
		if (wanted[end] === wanted[matched]) matched++;
		borders[end + 1] = matched;
	}

	for (let end = 0, matched = 0; end < list.length; end++) {
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

// Only what is compared; other letters may become longer or shorter.
function inLowerCase(text: string): string {
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function withoutEncoded(text: string): string {
	return text.replace(ENCODED, (encoded) => ' '.repeat(encoded.length));
}

function isInWord(character = ''): boolean {
	return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}
