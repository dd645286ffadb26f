import { createHash, randomBytes } from 'node:crypto';

import { toPlainText } from '../errors/plainText';
import { parseUrl } from './baseUrl';

const HIDDEN = '[hidden]';
const MAX_TEXT_CHARACTERS = 20_000;
const MIN_KEY_CHARACTERS = 4;
const MAX_KEY_CHARACTERS = 1_000;
const MAX_ADDRESS_CHARACTERS = 4_000;
// Shorter parts of an address occur in other texts, and are too easy to guess to be secrets.
const MIN_PART_CHARACTERS = 8;
// What has more words is hidden in pieces of so many.
const MAX_WORDS = 16;
const MAX_HASHES = 10_000;

// One character as an address, JSON or HTML may spell it, even several times over.
const ENCODED = /%(?:25){0,3}[0-9a-f]{2}|\\(?:u[0-9a-f]{4}|[bfnrt])|&(?:amp;){0,3}#?\w{1,6};/gi;
const BETWEEN_WORDS = `(?:${ENCODED.source}|[^a-z0-9])+`;
const WORD = /[a-z0-9]+/gi;
// Where an address within a text can't go on.
const RUN = /[^\s"'<>`]+/g;
const SLASH = String.raw`\\{0,4}(?:/|%(?:25){0,3}2f)`;
const WEB_SOCKET = new RegExp(`wss?(?::|%(?:25){0,3}3a)${SLASH}${SLASH}[\\w[%].*`, 'i');
const DEVTOOLS = new RegExp(`${SLASH}devtools${SLASH}`, 'i');
const DELIMITERS = /[\s/?&#;=,:@"{}]+/;
const ORDINARY_PARTS = ['devtools', 'sessions', 'chromium', 'headless', 'playwright', 'puppeteer'];

/**
 * Salted hashes of the secrets in a browser's address: of the whole, of each part of eight characters or
 * more, and of the header that its user name and password make. Unlike the address they may be stored,
 * and a `Redactor` that gets them hides what they are of. A hash names its salt.
 */
export function secretHashesOf(address: unknown, salt = randomSalt()): string[] {
	const phrases = typeof address === 'string' ? phrasesOf(address) : [];
	return [...new Set(phrases)].map((phrase) => hashOf(phrase, salt));
}

/**
 * Removes the API key and the addresses of browsers from texts that somebody will read. Words are compared,
 * so that it makes no difference how the characters between them are encoded. Its work is bounded, whatever
 * it is given: of a text it reads the first 20,000 characters by default.
 */
export class Redactor {
	private readonly key: RegExp | undefined;

	private salt = randomSalt();

	private readonly hashes = new Set<string>();

	/** The salts of hashed phrases, by the lengths of all phrases that are known. */
	private readonly salts = new Map<number, Set<string>>();

	/** Job IDs, as phrases. */
	private readonly ids = new Set<string>();

	constructor(key?: unknown) {
		this.key = typeof key === 'string' ? patternOf(key) : undefined;
	}

	/** The secrets of all addresses, as `secretHashesOf` makes them. */
	get secretHashes(): string[] {
		return [...this.hashes];
	}

	/** Remembers a browser's address and the secrets within it. */
	addAddress(address: unknown): void {
		this.addHashes(secretHashesOf(address, this.salt));
	}

	/** Remembers secrets of addresses by their hashes. Later addresses get the same salt. */
	addHashes(hashes: readonly string[]): void {
		for (const hash of hashes) {
			const [length, salt = ''] = hash.split('.');
			this.salt = salt;
			this.hashes.delete(hash);
			this.hashes.add(hash);
			this.saltsFor(Number(length)).add(salt);
		}
		for (const oldest of this.hashes) {
			if (this.hashes.size <= MAX_HASHES) break;
			this.hashes.delete(oldest);
		}
	}

	/** Remembers that this is a job's ID, which is shown even if it is part of an address. */
	addJobId(jobId: string): void {
		const phrase = phraseOf(wordsOf(jobId));
		this.ids.add(phrase);
		this.saltsFor(phrase.length);
	}

	/** The text with every secret replaced. Never throws; what is beyond the limit is left out. */
	redact(text: string, maxCharacters = MAX_TEXT_CHARACTERS): string {
		const start = withinLimit(text, maxCharacters);
		const keyless = this.key === undefined ? start : start.replace(this.key, HIDDEN);
		return this.withoutKnown(keyless.replace(RUN, withoutBrowserAddress));
	}

	/** The same, as text that is safe to show: one line of at most 500 characters, without markup. */
	toPlainText(text: string, maxCharacters?: number): string {
		return toPlainText(this.redact(text), maxCharacters);
	}

	/** Data with all its texts redacted; what is larger than a text may be becomes JSON text. */
	redactData(data: unknown): unknown {
		if (typeof data === 'string') return this.redact(data);
		if (typeof data !== 'object' || data === null) return data;
		const json = JSON.stringify(data);
		if (json.length > MAX_TEXT_CHARACTERS) return this.redact(json);
		if (Array.isArray(data)) return data.map((entry) => this.redactData(entry));
		const fields = Object.entries(data);
		return Object.fromEntries(
			fields.map(([name, value]) => [this.redact(name), this.redactData(value)]),
		);
	}

	private withoutKnown(text: string): string {
		if (this.hashes.size === 0) return text;
		const words = wordsOf(text);
		let result = '';
		let shownTo = 0;
		for (let index = 0; index < words.length; ) {
			const { count, isSecret } = this.knownAt(words, index);
			const [first, last] = [words[index], words[index + count - 1]];
			if (isSecret && first !== undefined && last !== undefined) {
				result += text.slice(shownTo, first.start) + HIDDEN;
				shownTo = last.end;
			}
			index += count;
		}
		return result + text.slice(shownTo);
	}

	/** How many words from `index` on are one ID or one secret: the longest counts. */
	private knownAt(words: Word[], index: number): { count: number; isSecret: boolean } {
		let known = { count: 1, isSecret: false };
		let length = -1;
		const candidates = words.slice(index, index + MAX_WORDS);
		candidates.forEach(({ text }, before) => {
			length += 1 + text.length;
			const salts = this.salts.get(length);
			if (salts === undefined) return;
			const count = before + 1;
			const phrase = phraseOf(candidates.slice(0, count));
			const isSecret = [...salts].some((salt) => this.hashes.has(hashOf(phrase, salt)));
			if (this.ids.has(phrase)) known = { count, isSecret: false };
			else if (isSecret) known = { count, isSecret };
		});
		return known;
	}

	private saltsFor(length: number): Set<string> {
		const salts = this.salts.get(length) ?? new Set();
		this.salts.set(length, salts);
		return salts;
	}
}

/** A run of ASCII letters and digits, and its place in a text. */
interface Word {
	text: string;
	start: number;
	end: number;
}

function wordsOf(text: string): Word[] {
	const plain = text.replace(ENCODED, (character) => ' '.repeat(character.length));
	return [...plain.matchAll(WORD)].map(({ 0: word, index }) => ({
		text: word.toLowerCase(),
		start: index,
		end: index + word.length,
	}));
}

function phraseOf(words: Word[]): string {
	return words.map(({ text }) => text).join(' ');
}

function phrasesOf(address: string): string[] {
	const start = address.slice(0, MAX_ADDRESS_CHARACTERS);
	const url = parseUrl(start);
	const parts = [start, ...decoded(start).split(DELIMITERS)];
	if (url !== undefined && url.username + url.password !== '') {
		const login = `${decoded(url.username)}:${decoded(url.password)}`;
		parts.push(Buffer.from(login).toString('base64'));
	}
	const ordinary = [...ORDINARY_PARTS, phraseOf(wordsOf(url?.hostname ?? ''))];
	return parts
		.flatMap(piecesOf)
		.filter((phrase) => phrase.length >= MIN_PART_CHARACTERS && !ordinary.includes(phrase));
}

function piecesOf(part: string): string[] {
	const words = wordsOf(part);
	const pieces = Math.ceil(words.length / MAX_WORDS);
	return Array.from({ length: pieces }, (_, piece) =>
		phraseOf(words.slice(piece * MAX_WORDS, (piece + 1) * MAX_WORDS)),
	);
}

// However often it was encoded; ASCII only, since nothing else is compared.
function decoded(text: string): string {
	return text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) =>
		String.fromCharCode(parseInt(code, 16)),
	);
}

function hashOf(phrase: string, salt: string): string {
	const hash = createHash('sha256').update(`${salt} ${phrase}`).digest('base64url');
	return `${phrase.length}.${salt}.${hash}`;
}

function randomSalt(): string {
	return randomBytes(12).toString('base64url');
}

// If the key is longer, the rest of its last word is hidden, too.
function patternOf(key: string): RegExp | undefined {
	const words = wordsOf(key.trim().slice(0, MAX_KEY_CHARACTERS));
	if (phraseOf(words).length < MIN_KEY_CHARACTERS) return undefined;
	const rest = key.length > MAX_KEY_CHARACTERS ? String.raw`\S*` : '';
	return new RegExp(words.map(({ text }) => text).join(BETWEEN_WORDS) + rest, 'gi');
}

function withoutBrowserAddress(run: string): string {
	return DEVTOOLS.test(run) ? HIDDEN : run.replace(WEB_SOCKET, HIDDEN);
}

// A secret that is cut in two would not be found, so nothing is cut within a word.
function withinLimit(text: string, maxCharacters: number): string {
	if (text.length <= maxCharacters) return text;
	let end = maxCharacters;
	while (end > 0 && text[end - 1]?.trim() !== '') end--;
	return text.slice(0, end) + HIDDEN;
}
