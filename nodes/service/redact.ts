import { toPlainText } from '../errors/plainText';
import { isObject } from '../isObject';
import { parseUrl } from './baseUrl';
import { toSequences, WordSearch, type Place } from './WordSearch';

const HIDDEN = '[hidden]';
const MAX_TEXT_CHARACTERS = 20_000;
// A shorter key would occur in ordinary text.
const MIN_KEY_CHARACTERS = 4;
const MAX_ADDRESS_CHARACTERS = 4_000;
// Shorter parts of an address occur in ordinary text, and are too easy to guess to be secrets.
const MIN_PART_CHARACTERS = 8;
const DELIMITERS = /[\s/?&#;=,:@"{}]+/;
const ORDINARY_PARTS = ['devtools', 'sessions', 'chromium', 'headless', 'playwright', 'puppeteer'];

// Characters that may belong to one address within a text.
const CHUNK = /[^\s"'<>`]+/g;
const WEB_SOCKET =
	/wss?(?::|%3a|\\u003a|&#58;|&#x3a;|&colon;)(?:\/|\\\/|%2f|\\u002f|&#47;|&#x2f;|&sol;){2}[\w[%]/i;
const DEVTOOLS = /(?:\/|%2f|\\u002f|&#47;|&#x2f;|&sol;)devtools(?:\/|\\\/|%2f|\\u002f|&)/i;

/**
 * Redacts the API key and the CDP URLs of browsers in text that somebody will read. It compares
 * words, not what separates them; a separator may be percent-, JSON- or HTML-encoded once. For each
 * secret its work is linear in the length of the text, whatever the secret is.
 */
export class Redactor {
	/** The API key as sequences of words; empty if it is too short. */
	private readonly key: string[];

	/**
	 * The secrets in the CDP URLs of browsers, as sequences of words: by the ID of the browser's
	 * job, or by the address itself if it came without a job.
	 */
	private readonly secrets = new Map<string, string[]>();

	/** The IDs of jobs as sequences of words. */
	private readonly jobIds = new Set<string>();

	constructor(key?: unknown) {
		this.key = longEnough(typeof key === 'string' ? toSequences(key) : [], MIN_KEY_CHARACTERS);
	}

	/**
	 * Remembers the address of a browser; for each job, only the latest. From now on the job's ID is
	 * shown even where it is a part of an address, unless it contains the API key. Anything but a
	 * non-empty string is ignored as an address.
	 */
	addCdpUrl(address: unknown, jobId?: string): void {
		if (jobId !== undefined) {
			for (const sequence of toSequences(jobId)) this.jobIds.add(sequence);
		}
		if (typeof address !== 'string' || address === '') return;
		const start = address.slice(0, MAX_ADDRESS_CHARACTERS);
		this.secrets.set(jobId ?? start, secretsOf(start));
	}

	/**
	 * Returns the text with `[hidden]` in place of every secret, and of what is beyond
	 * `maxCharacters` (by default 20,000). Never throws.
	 */
	redact(text: string, maxCharacters = MAX_TEXT_CHARACTERS): string {
		const end = endWithin(text, maxCharacters);
		const shown = this.withoutSecrets(text.slice(0, end));
		return end < text.length ? shown + HIDDEN : shown;
	}

	/**
	 * Redacts a text and makes it safe to show: one line of at most `maxCharacters` (by default 500),
	 * without markup.
	 */
	toPlainText(text: string, maxCharacters?: number): string {
		return toPlainText(this.redact(text), maxCharacters);
	}

	/**
	 * Redacts all strings in data, including keys. Data with more than 20,000 characters of JSON
	 * becomes JSON text. At most `maxCharacters` (by default 20,000) of such text, or of a string,
	 * are kept.
	 */
	redactData(data: unknown, maxCharacters = MAX_TEXT_CHARACTERS): unknown {
		if (data === undefined) return undefined;
		if (typeof data === 'string') return this.redact(data, maxCharacters);
		const json = JSON.stringify(data);
		return json.length > MAX_TEXT_CHARACTERS
			? this.redact(json, maxCharacters)
			: this.redactStrings(data);
	}

	private redactStrings(data: unknown): unknown {
		if (typeof data === 'string') return this.redact(data);
		if (Array.isArray(data)) return data.map((one) => this.redactStrings(one));
		if (!isObject(data)) return data;
		const fields = Object.entries(data).map(([name, value]) => {
			return [this.redact(name), this.redactStrings(value)] as const;
		});
		return Object.fromEntries(fields);
	}

	private withoutSecrets(text: string): string {
		const words = new WordSearch(text);
		const isHidden = new Uint8Array(text.length);
		const mark = (places: Iterable<Place>, value: 0 | 1) => {
			let markedTo = 0;
			for (const { start, end } of places) {
				isHidden.fill(value, Math.max(start, markedTo), end);
				markedTo = end;
			}
		};

		mark(browserAddressesIn(text), 1);
		for (const secrets of this.secrets.values()) {
			for (const secret of secrets) mark(words.find(secret), 1);
		}
		if (isHidden.includes(1)) {
			for (const jobId of this.jobIds) {
				const whole = [...words.find(jobId)].filter((place) => words.isWhole(place));
				mark(whole, 0);
			}
		}
		for (const secret of this.key) mark(words.find(secret), 1);
		return withoutHidden(text, isHidden);
	}
}

/** Returns what lets somebody control the browser at an address, as sequences of words. */
function secretsOf(address: string): string[] {
	const url = parseUrl(address);
	const parts = [
		address,
		...address.split(DELIMITERS),
		...percentDecoded(address).split(DELIMITERS),
	];
	if (url !== undefined && url.username + url.password !== '') {
		// As the `Authorization` header contains it.
		const login = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
		parts.push(Buffer.from(login, 'latin1').toString('base64'));
	}
	const ordinary = [...ORDINARY_PARTS, ...toSequences(url?.hostname ?? '')];
	const sequences = longEnough(parts.flatMap(toSequences), MIN_PART_CHARACTERS);
	return sequences.filter((sequence) => !ordinary.includes(sequence));
}

function longEnough(sequences: string[], minCharacters: number): string[] {
	return [...new Set(sequences)].filter(({ length }) => length >= minCharacters);
}

// Decodes byte by byte, which is enough: characters that are not ASCII only separate words.
function percentDecoded(text: string): string {
	return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
		String.fromCharCode(parseInt(code, 16)),
	);
}

/** Finds the `ws://`, `wss://` and `/devtools/` addresses in a text, known or not. */
function* browserAddressesIn(text: string): Generator<Place> {
	for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
		const start = DEVTOOLS.test(chunk) ? 0 : chunk.search(WEB_SOCKET);
		if (start >= 0) yield { start: index + start, end: index + chunk.length };
	}
}

function withoutHidden(text: string, isHidden: Uint8Array): string {
	let result = '';
	let shownFrom = 0;
	for (let start = isHidden.indexOf(1); start >= 0; start = isHidden.indexOf(1, shownFrom)) {
		result += text.slice(shownFrom, start) + HIDDEN;
		const end = isHidden.indexOf(0, start);
		shownFrom = end < 0 ? text.length : end;
	}
	return result + text.slice(shownFrom);
}

// Cuts at white space only, since half a secret would not be found.
function endWithin(text: string, maxCharacters: number): number {
	if (text.length <= maxCharacters) return text.length;
	let end = maxCharacters;
	while (end > 0 && text[end - 1]?.trim() !== '') end--;
	return end;
}
