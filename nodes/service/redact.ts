import { createHash, randomBytes } from 'node:crypto';

import { toPlainText } from '../errors/plainText';
import { parseUrl } from './baseUrl';
import { parseJson } from './parseJson';

const HIDDEN = '[hidden]';
const MAX_TEXT_CHARACTERS = 20_000;
const MIN_KEY_CHARACTERS = 4;
const MAX_KEY_CHARACTERS = 1_000;
const MAX_ADDRESS_CHARACTERS = 4_000;
// Shorter parts of an address occur in other texts, and are too easy to guess to be secrets.
const MIN_PART_CHARACTERS = 8;
// What has more words is hidden in pieces of so many.
const MAX_WORDS = 16;

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
 * Removes the API key and the addresses of browsers from texts that somebody will read. Words are compared,
 * so that it makes no difference how the characters between them are encoded. Its work is bounded, whatever
 * it is given: of a text it reads the first 20,000 characters by default.
 */
export class Redactor {
	private readonly key: RegExp | undefined;

	private salt = randomBytes(12).toString('base64url');

	private readonly hashes = new Set<string>();

	private readonly lengths = new Set<number>();

	private readonly ids = new Set<string>();

	constructor(key?: unknown) {
		this.key = typeof key === 'string' ? patternOf(key) : undefined;
	}

	/** Salted hashes of the secrets of all addresses. Unlike the addresses, they may be stored. */
	get secretHashes(): string[] {
		return [...this.hashes];
	}

	/** Remembers the secrets in a browser's address. Its job's ID is shown even if it is part of it. */
	addAddress(address: unknown, jobId?: string): void {
		if (jobId !== undefined) {
			const id = phraseOf(wordsOf(jobId));
			this.ids.add(id);
			this.lengths.add(id.length);
		}
		const phrases = typeof address === 'string' ? phrasesOf(address) : [];
		for (const phrase of phrases) this.addHash(hashOf(phrase, this.salt));
	}

	/** Remembers what an earlier `Redactor` has stored. To be called before `addAddress`: the salt is theirs. */
	addStored(secretHashes: readonly string[]): void {
		for (const hash of secretHashes) {
			[, this.salt = ''] = hash.split('.');
			this.addHash(hash);
		}
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
		if (data === undefined) return undefined;
		return typeof data === 'string'
			? this.redact(data)
			: parseJson(this.redact(JSON.stringify(data)));
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
		let phrase = '';
		words.slice(index, index + MAX_WORDS).forEach(({ text }, before) => {
			phrase += before === 0 ? text : ` ${text}`;
			if (!this.lengths.has(phrase.length)) return;
			const isId = this.ids.has(phrase);
			const isSecret = !isId && this.hashes.has(hashOf(phrase, this.salt));
			if (isId || isSecret) known = { count: before + 1, isSecret };
		});
		return known;
	}

	private addHash(hash: string): void {
		this.hashes.add(hash);
		this.lengths.add(Number(hash.split('.')[0]));
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
