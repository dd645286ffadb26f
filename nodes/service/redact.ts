import { toPlainText } from '../errors/plainText';
import { parseUrl } from './baseUrl';

const REDACTED = '[hidden]';
const MIN_SECRET_CHARACTERS = 4;
const MAX_SECRET_CHARACTERS = 4_000;
// Shorter parts of an address, such as "devtools", are no secrets.
const MIN_PART_CHARACTERS = 9;
const MAX_URLS = 100;
const MAX_PARTS_PER_URL = 20;
const MAX_TEXT_CHARACTERS = 20_000;
const CDP_URL = /\bwss?:\/\/[\w[][^\s"'<>\\]*/gi;

/**
 * Removes the API key and the addresses of browsers from texts that somebody will read. Its work is
 * bounded, whatever it is given: it keeps the latest 100 addresses, and of a text it reads the first
 * 20,000 characters by default.
 */
export class Redactor {
	private readonly secrets = new Set<string>();

	private readonly urls = new Map<string, string | undefined>();

	/** All secrets as they may be spelled, in lower case; unset: to be made of the above. */
	private spellings: string[] | undefined;

	/** Remembers a secret: as it is, and as it appears in a URL or in JSON. */
	addSecret(secret: unknown): void {
		if (typeof secret !== 'string') return;
		this.secrets.add(secret.trim());
		this.spellings = undefined;
	}

	/**
	 * Remembers a browser's address and the secrets within it. The job's own ID is not one of them: it
	 * appears in links that the user needs.
	 */
	addUrl(url: unknown, jobId?: string): void {
		if (typeof url !== 'string') return;
		this.spellings = undefined;
		this.urls.delete(url);
		this.urls.set(url, jobId);
		const [oldest] = this.urls.keys();
		if (this.urls.size > MAX_URLS && oldest !== undefined) this.urls.delete(oldest);
	}

	/** The text with every secret replaced. Never throws; what is beyond the limit is left out. */
	redact(text: string, maxCharacters = MAX_TEXT_CHARACTERS): string {
		let result = withinLimit(text, maxCharacters);
		let searched = toLowerAscii(result);
		this.spellings ??= this.spell();
		for (const secret of this.spellings) {
			if (!searched.includes(secret)) continue;
			result = replaceAll(result, searched, secret);
			searched = toLowerAscii(result);
		}
		return result.replace(CDP_URL, REDACTED);
	}

	/** The same, as text that is safe to show: one line of at most 500 characters, without markup. */
	toPlainText(text: string, maxCharacters?: number): string {
		return toPlainText(this.redact(text), maxCharacters);
	}

	// The longest first: the address of a browser may contain the key.
	private spell(): string[] {
		const inUrls = [...this.urls].flatMap(([url, jobId]) => partsOf(url, jobId));
		const all = [...this.secrets, ...inUrls].flatMap(spellingsOf).map(toLowerAscii);
		return [...new Set(all)].sort((one, other) => other.length - one.length);
	}
}

// A secret that is cut in two would not be found, so nothing is cut within a word.
function withinLimit(text: string, maxCharacters: number): string {
	if (text.length <= maxCharacters) return text;
	let end = maxCharacters;
	while (end > 0 && !isSpace(text[end - 1])) end--;
	return `${text.slice(0, end)}${REDACTED}`;
}

function isSpace(character: string | undefined): boolean {
	return character === undefined || character.trim() === '';
}

function spellingsOf(secret: string): string[] {
	if (secret.length < MIN_SECRET_CHARACTERS) return [];
	const start = secret.slice(0, MAX_SECRET_CHARACTERS);
	return [start, convert(encodeURIComponent, start), JSON.stringify(start).slice(1, -1)];
}

function partsOf(address: string, jobId: string | undefined): string[] {
	const start = address.trim().slice(0, MAX_SECRET_CHARACTERS);
	const url = parseUrl(start);
	if (url === undefined) return [start];
	// Not `searchParams`, which takes a plus for a space.
	const values = url.search.split(/[?&]/).map((pair) => pair.slice(pair.indexOf('=') + 1));
	const parts = [...url.pathname.split('/'), ...values]
		.filter((part) => part.length >= MIN_PART_CHARACTERS && part !== jobId)
		.slice(0, MAX_PARTS_PER_URL);
	const secrets = [url.username, url.password, ...parts];
	const spelled = [url.href, ...secrets];
	return [start, ...spelled, ...spelled.map((text) => convert(decodeURIComponent, text))];
}

// A plain search: a pattern made of a long secret can exceed the limits of the pattern engine. Of a
// secret longer than what is searched for, the rest of the word goes as well.
function replaceAll(text: string, searched: string, secret: string): string {
	let result = '';
	let from = 0;
	for (let at = searched.indexOf(secret); at !== -1; at = searched.indexOf(secret, from)) {
		result += text.slice(from, at) + REDACTED;
		from = at + secret.length;
		if (secret.length < MAX_SECRET_CHARACTERS) continue;
		while (from < text.length && !isSpace(text[from])) from++;
	}
	return result + text.slice(from);
}

// Of equal length, which `toLowerCase` doesn't promise for all letters.
function toLowerAscii(text: string): string {
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The text as `code` converts it, or as it is if it can't be converted. */
function convert(code: (text: string) => string, text: string): string {
	try {
		return code(text);
	} catch {
		return text;
	}
}
