const SHORTEST_SECRET = 4;
const LONGEST_TEXT = 500;
const BLACKED_OUT = '[hidden]';
const CDP_ADDRESS = /\bwss?:\/\/[^\s"'<>\\]+/gi;

/** What must never be read in a message: the key and the addresses of browsers. */
export class Secrets {
	private readonly values = new Set<string>();

	/** Remembers a secret, as it is and as it looks in an address or in JSON. */
	add(secret: unknown): void {
		if (typeof secret !== 'string' || secret.trim().length < SHORTEST_SECRET) return;
		const value = secret.trim();
		this.values.add(value);
		this.values.add(asInAddress(value));
		this.values.add(JSON.stringify(value).slice(1, -1));
	}

	/** The text without secrets and control characters, in one line of at most 500 characters. */
	clean(text: string): string {
		let result = text;
		// The longest first: an address of a browser may have the key in it.
		const longestFirst = [...this.values].sort((one, other) => other.length - one.length);
		for (const value of longestFirst) result = result.replaceAll(value, BLACKED_OUT);
		result = result.replace(CDP_ADDRESS, BLACKED_OUT);
		result = result.replace(/[\p{Cc}\s]+/gu, ' ').trim();
		return result.length > LONGEST_TEXT ? `${result.slice(0, LONGEST_TEXT - 1)}…` : result;
	}
}

function asInAddress(value: string): string {
	try {
		return encodeURIComponent(value);
	} catch {
		// With half a character in it, it cannot be part of one.
		return value;
	}
}
