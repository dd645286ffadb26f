import { createHash } from 'node:crypto';

import { toPlainText } from '../errors/plainText';
import { isObject } from '../isObject';
import { parseUrl } from './baseUrl';

const HIDDEN = '[hidden]';
const MAX_TEXT_CHARACTERS = 20_000;
// A shorter key would occur in ordinary text.
const MIN_KEY_CHARACTERS = 4;
// These bound the work that one address takes.
const MAX_ADDRESS_CHARACTERS = 4_000;
const MAX_PARTS = 16;

// Characters that may belong to one address within a text.
const WORD = /[^\s"'<>`]+/g;
// The punctuation that ends a sentence or a list.
const PUNCTUATION = '.,;:!?)]}';
const WEB_SOCKET = /wss?(?::|%3a)(?:\/|\\\/|%2f){2}[\w[%]/i;
const DEVTOOLS = /(?:\/|%2f)devtools(?:\/|\\\/|%2f)/i;
const WEB_ADDRESS = /https?(?::|%3a)(?:\/|\\\/|%2f){2}/gi;
const ENCODED_ASCII = /%[0-7][\da-f]/gi;
const ENCODED_BYTE = /%[\da-f]{2}/gi;

/**
 * Redacts in text that somebody will read
 * - the API key: as it is, percent-encoded and JSON-escaped,
 * - whatever looks like a `ws://`, `wss://` or `/devtools/` address,
 * - http(s) addresses that begin with the origin and the path of a known browser's CDP URL or, if
 *   it has no path, with its origin and query. A token that stands alone is not redacted.
 */
export class Redactor {
	/** The keys in all their forms. */
	private readonly keyForms: string[] = [];

	/** Hashes of the known http(s) addresses, each without the parts that are not compared. */
	private readonly knownBrowsers = new Set<string>();

	constructor(key?: unknown) {
		this.addKey(key);
	}

	/** Hides a key from now on, besides those before it. Ignores one of less than four characters. */
	addKey(key: unknown): void {
		const value = typeof key === 'string' ? key.trim() : '';
		if (value.length >= MIN_KEY_CHARACTERS) this.keyForms.push(...formsOf(value));
	}

	/** Remembers the CDP URL of a browser. Anything but an http(s) address is ignored. */
	addCdpUrl(address: unknown): void {
		if (typeof address !== 'string' || address.search(WEB_ADDRESS) !== 0) return;
		const [{ start, end } = { start: 0, end: 0 }] = webAddressesIn(address);
		const { paths, queries } = beginningsOf(address.slice(start, end));
		const whole = paths.at(-1) ?? queries.at(-1);
		if (whole !== undefined) this.knownBrowsers.add(hashOf(whole));
	}

	/**
	 * Hashes (SHA-256) of the known http(s) addresses, by which another process can hide them:
	 * `addBrowsers` takes them. They reveal an address only to somebody who can guess it.
	 */
	get browsers(): string[] {
		return [...this.knownBrowsers];
	}

	/** Remembers browsers by what `browsers` of another redactor has returned. */
	addBrowsers(hashes: string[]): void {
		for (const hash of hashes) this.knownBrowsers.add(hash);
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
		const secrets = [
			...this.browsersIn(text),
			...this.keyForms.flatMap((form) => spansOf(form, text)),
		];
		let shown = '';
		let shownTo = 0;
		for (const { start, end } of secrets.sort((one, other) => one.start - other.start)) {
			if (start >= shownTo) shown += text.slice(shownTo, start) + HIDDEN;
			shownTo = Math.max(shownTo, end);
		}
		return shown + text.slice(shownTo);
	}

	/** Finds the addresses of browsers in a text, each to the end of its word. */
	private browsersIn(text: string): Span[] {
		return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
			const start = DEVTOOLS.test(word) ? 0 : word.search(WEB_SOCKET);
			const first = start >= 0 ? start : this.knownBrowserIn(word);
			const end = endWithoutPunctuation(word);
			return first < 0 || first >= end ? [] : { start: index + first, end: index + end };
		});
	}

	/** Returns where the address of a known browser begins in a word, or -1. */
	private knownBrowserIn(word: string): number {
		if (this.knownBrowsers.size === 0) return -1;
		const known = webAddressesIn(word).find(({ start, end }) => {
			const { paths, queries } = beginningsOf(word.slice(start, end));
			return [...paths, ...queries].some((one) => this.knownBrowsers.has(hashOf(one)));
		});
		return known?.start ?? -1;
	}
}

/** A part of a text. */
interface Span {
	start: number;
	/** The position after its last character. */
	end: number;
}

function spansOf(part: string, text: string): Span[] {
	const spans: Span[] = [];
	let start = text.indexOf(part);
	while (start >= 0) {
		const end = start + part.length;
		spans.push({ start, end });
		start = text.indexOf(part, end);
	}
	return spans;
}

/** Finds the http(s) addresses in a word. Each ends where the next one begins. */
function webAddressesIn(word: string): Span[] {
	const starts = [...word.matchAll(WEB_ADDRESS)].map(({ index }) => index);
	return starts.map((start, position) => {
		const next = starts[position + 1] ?? word.length;
		return { start, end: Math.min(next, start + MAX_ADDRESS_CHARACTERS) };
	});
}

/**
 * Returns what an address begins with, cut at each part: its origin with more and more of its path,
 * and its origin with more and more of its query. Of each, 16 parts at most.
 */
function beginningsOf(address: string): { paths: string[]; queries: string[] } {
	const url = parseUrl(decoded(address));
	if (url === undefined) return { paths: [], queries: [] };
	const { origin, pathname, search } = url;
	const names = pathname.split('/').filter((name) => name !== '');
	return {
		paths: beginningsOfList(names).map((path) => `${origin}/${path}`),
		queries: beginningsOfList(search.slice(1).split(/[&/]/)).map((query) => `${origin}?${query}`),
	};
}

function beginningsOfList(parts: string[]): string[] {
	return parts.slice(0, MAX_PARTS).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Returns an address as it was before it was percent-encoded or JSON-escaped, if it was. */
function decoded(address: string): string {
	const isEncoded = /^https?%/i.test(address);
	// Other bytes stay encoded, as `URL` has them.
	const plain = isEncoded
		? address.replace(ENCODED_ASCII, (code) => decodeURIComponent(code))
		: address;
	// What was encoded may contain the end of a word.
	const [word = ''] = plain.match(WORD) ?? [];
	const escaped = word.replaceAll('\\/', '/');
	return escaped
		.slice(0, endWithoutPunctuation(escaped))
		.replace(ENCODED_BYTE, (code) => code.toUpperCase());
}

function hashOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url');
}

/** Returns the length of a word without the punctuation at its end. */
function endWithoutPunctuation(word: string): number {
	let end = word.length;
	while (end > 0 && PUNCTUATION.includes(word[end - 1] as string)) end--;
	return end;
}

function formsOf(value: string): string[] {
	const percent = encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'));
	const lowerPercent = percent.replace(/%../g, (code) => code.toLowerCase());
	const json = JSON.stringify(value).slice(1, -1);
	return [...new Set([value, percent, lowerPercent, json, json.replaceAll('/', '\\/')])];
}

// Cuts at white space only, since half a secret would not be found.
function endWithin(text: string, maxCharacters: number): number {
	if (text.length <= maxCharacters) return text.length;
	let end = maxCharacters;
	while (end > 0 && text[end - 1]?.trim() !== '') end--;
	return end;
}
