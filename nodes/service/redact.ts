import { toPlainText } from '../errors/plainText';
import { isObject } from '../isObject';
import { decodePart } from './baseUrl';

const HIDDEN = '[hidden]';
const MAX_TEXT_CHARACTERS = 20_000;
// A shorter key would occur in ordinary text.
const MIN_KEY_CHARACTERS = 4;
const MAX_ADDRESS_CHARACTERS = 4_000;
// Shorter ones occur in ordinary text, and are too easy to guess to be secrets.
const MIN_SECRET_CHARACTERS = 16;

// Characters that may belong to one address within a text.
const CHUNK = /[^\s"'<>`]+/g;
// Without the punctuation that ends a sentence or a list.
const REST_OF_CHUNK = /^[^\s"'<>`]*[^\s"'<>`.,;:!?)\]}]/;
const WEB_SOCKET = /wss?(?::|%3a)(?:\/|\\\/|%2f){2}[\w[%]/i;
const ADDRESS = /^\w+:\/\/\w/;
const DEVTOOLS = /(?:\/|%2f)devtools(?:\/|\\\/|%2f)/i;

/**
 * Redacts the API key and the CDP URLs of browsers in text that somebody will read: as they are,
 * percent-encoded and JSON-escaped, and in no other form. Of a CDP URL, that is the whole, and the
 * longer values of its query. What looks like the address of a browser is hidden in any case.
 */
export class Redactor {
	/** The key in all its forms; empty if it is too short. */
	private readonly keyForms: string[];

	/**
	 * The secrets in the CDP URLs of browsers: by the ID of the browser's job, or by the address
	 * itself if it came without a job.
	 */
	private readonly ofBrowsers = new Map<string, Secret[]>();

	private readonly jobIds = new Set<string>();

	constructor(key?: unknown) {
		const value = typeof key === 'string' ? key.trim() : '';
		this.keyForms = value.length < MIN_KEY_CHARACTERS ? [] : formsOf(value);
	}

	/** Shows a job's ID from now on, and pieces of it, even if the query of an address has them. */
	addJobId(jobId: string): void {
		this.jobIds.add(jobId);
	}

	/**
	 * Remembers the address of a browser; for each job, only the latest. The job's ID is shown, as by
	 * `addJobId`. Anything but a non-empty string is ignored as an address.
	 */
	addCdpUrl(address: unknown, jobId?: string): void {
		if (jobId !== undefined) this.addJobId(jobId);
		if (typeof address !== 'string' || address === '') return;
		const start = address.slice(0, MAX_ADDRESS_CHARACTERS);
		const isSecret = (text: string) => text.length >= MIN_SECRET_CHARACTERS;
		const secrets = queryValuesIn(start)
			.filter(isSecret)
			.map((value) => toSecret(value));
		if (isSecret(start) || ADDRESS.test(start)) secrets.push(toSecret(start, true));
		this.ofBrowsers.set(jobId ?? start, secrets);
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
		// Nobody who reads an error could find the job if its ID were hidden.
		const hidden = [...this.ofBrowsers.values()]
			.flat()
			.filter(({ forms }) => forms.some((form) => text.includes(form)))
			.filter(({ values }) => !this.areOfJobId(values));

		const rest = [{ forms: this.keyForms, isAddress: false }, ...hidden]
			.flatMap(({ forms, isAddress }) => forms.map((form) => ({ form, isAddress })))
			.sort((one, other) => other.form.length - one.form.length)
			.reduce(withoutForm, text);
		return withoutBrowserAddresses(rest);
	}

	private areOfJobId(values: string[]): boolean {
		return [...this.jobIds].some((jobId) => values.some((value) => jobId.includes(value)));
	}
}

/** Something in the address of a browser that must not be shown. */
interface Secret {
	/** As it stands in the address, and decoded. */
	values: string[];
	/** What a text may contain of it. */
	forms: string[];
	/** Whether it is the whole address, so that what follows it in a text belongs to an address. */
	isAddress: boolean;
}

function toSecret(text: string, isAddress = false): Secret {
	const values = [text, decodePart(text)];
	return { values, forms: [...new Set(values.flatMap(formsOf))], isAddress };
}

function withoutForm(text: string, { form, isAddress }: { form: string; isAddress: boolean }) {
	if (!isAddress) return text.replaceAll(form, HIDDEN);
	const [before, ...pieces] = text.split(form);
	return [before, ...pieces.map((piece) => piece.replace(REST_OF_CHUNK, ''))].join(HIDDEN);
}

function queryValuesIn(address: string): string[] {
	const [, query = ''] = /\?([^#]*)/.exec(address) ?? [];
	return query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
}

function formsOf(value: string): string[] {
	const percent = encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'));
	const lowerPercent = percent.replace(/%../g, (code) => code.toLowerCase());
	const json = JSON.stringify(value).slice(1, -1);
	return [...new Set([value, percent, lowerPercent, json, json.replaceAll('/', '\\/')])];
}

/** Hides the `ws://`, `wss://` and `/devtools/` addresses in a text, known or not. */
function withoutBrowserAddresses(text: string): string {
	return text.replace(CHUNK, (chunk) => {
		const start = DEVTOOLS.test(chunk) ? 0 : chunk.search(WEB_SOCKET);
		return start < 0 ? chunk : chunk.slice(0, start) + HIDDEN;
	});
}

// Cuts at white space only, since half a secret would not be found.
function endWithin(text: string, maxCharacters: number): number {
	if (text.length <= maxCharacters) return text.length;
	let end = maxCharacters;
	while (end > 0 && text[end - 1]?.trim() !== '') end--;
	return end;
}
