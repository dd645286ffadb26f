import { parseUrl } from './parseUrl';

const SHORTEST_SECRET = 4;
const LONGEST_TEXT = 500;
// Far more than is shown; a pattern that meets megabytes of white space overflows the stack.
const LONGEST_READ = 100_000;
const BLACKED_OUT = '[hidden]';
// A part of an address that is shorter says nothing that could be kept from anybody.
const SHORTEST_PART = 9;
const CDP_ADDRESS = /\bwss?:\/\/[^\s"'<>\\]+/gi;

/** What must never be read in a message: the key and the addresses of browsers. */
export class Secrets {
	private readonly words = new Set<string>();

	// Of the browser of every job, whose ID is no secret. Taken apart only for a text to be cleaned:
	// that is rare, and jobs are many.
	private readonly addresses = new Map<string, string | undefined>();

	/** Remembers a secret. `clean` finds it as it is and as it looks in an address or in JSON. */
	add(secret: unknown): void {
		if (typeof secret === 'string') this.words.add(secret);
	}

	/**
	 * Remembers an address of a browser: whole, in all its spellings, and the secrets within it. The
	 * job's own ID is none, and stands in links that the user needs.
	 */
	addAddress(address: unknown, jobId?: string): void {
		if (typeof address === 'string') this.addresses.set(address, jobId);
	}

	/** The text without secrets and control characters, in one line of at most 500 characters. */
	clean(text: string): string {
		let result = text;
		// The longest first: an address of a browser may have the key in it.
		const longestFirst = [...this.spellings()].sort((one, other) => other.length - one.length);
		for (const value of longestFirst) result = result.replace(anyCase(value), BLACKED_OUT);
		// Cut only now: half a secret would not be found.
		result = result.slice(0, LONGEST_READ).replace(CDP_ADDRESS, BLACKED_OUT);
		result = result.replace(/[\p{Cc}\s]+/gu, ' ').trim();
		return result.length > LONGEST_TEXT ? `${result.slice(0, LONGEST_TEXT - 1)}…` : result;
	}

	private spellings(): Set<string> {
		const inAddresses = [...this.addresses].flatMap(([address, jobId]) => partsOf(address, jobId));
		return new Set([...this.words, ...inAddresses].flatMap(spellingsOf));
	}
}

function spellingsOf(secret: string): string[] {
	const value = secret.trim();
	if (value.length < SHORTEST_SECRET) return [];
	return [value, asInAddress(value), JSON.stringify(value).slice(1, -1)];
}

function partsOf(address: string, jobId: string | undefined): string[] {
	const url = parseUrl(address.trim());
	if (url === undefined) return [address];

	const parts = [...url.pathname.split('/'), ...url.searchParams.values()];
	const secrets = [
		url.username,
		url.password,
		...parts.filter((part) => part.length >= SHORTEST_PART && part !== jobId),
	];
	return [address, url.href, decoded(url.href), ...secrets, ...secrets.map(decoded)];
}

function asInAddress(value: string): string {
	try {
		return encodeURIComponent(value);
	} catch {
		// With half a character in it, it cannot be part of one.
		return value;
	}
}

function anyCase(value: string): RegExp {
	return new RegExp(value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
