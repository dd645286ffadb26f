import type { RealClock } from '../sandbox/types';
import type { LiveSettings } from './settings';

const MAX_BODY_BYTES = 2 ** 20;
const MAX_WORDS = 100;
const MAX_FIELDS = 8;

/** What came of a request. */
export interface Answer {
	/** 0 when no whole answer has come. */
	status: number;
	headers: Headers;
	/** The body if it is JSON. */
	json?: unknown;
	text: string;
	/** Why no whole answer has come. */
	failure?: string;
	/** Whether the request certainly never reached the service. */
	isUnsent?: boolean;
}

export interface Call {
	body?: unknown;
	/** Default: the account's key. `null` for none. */
	key?: string | null;
}

/**
 * Sends requests to the service under test: each once, with a time limit, and without following
 * redirects, so that the key goes to no other address. No method throws.
 */
export class ServiceClient {
	/** When requests with the key were sent, in ms since 1970, by their path up to the ID. */
	private readonly sent = new Map<string, number[]>();

	constructor(
		private readonly settings: Pick<LiveSettings, 'baseUrl' | 'apiKey'>,
		private readonly clock: RealClock,
		/** Of a request, in real time. */
		private readonly limitMs: number,
		private readonly onAnswer: (answer: Answer) => void,
	) {}

	async call(method: string, path: string, { body, key }: Call = {}): Promise<Answer> {
		const sentKey = key === undefined ? this.settings.apiKey : key;
		if (sentKey === this.settings.apiKey) this.noteSent(path);
		const answer = await this.fetch(`${this.settings.baseUrl}${path}`, {
			method,
			headers: {
				...(sentKey !== null && { Authorization: `Bearer ${sentKey}` }),
				...(body !== undefined && { 'Content-Type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		this.onAnswer(answer);
		return answer;
	}

	/** Opens a link without the key, and returns its status and a beginning of its body. */
	async open(url: string): Promise<Answer> {
		return await this.fetch(url, { method: 'GET' });
	}

	/** How many requests with this start of a path were sent in the last minute. */
	countInLastMinute(path: string): number {
		const since = this.clock.now() - 60_000;
		return [...this.sent]
			.filter(([sent]) => sent.startsWith(path))
			.reduce((sum, [, times]) => sum + times.filter((at) => at > since).length, 0);
	}

	/** Text from the service in a form that can be shown: short, on one line, without the key. */
	show(text: string, maxCharacters = MAX_WORDS): string {
		const { apiKey } = this.settings;
		const line = text
			.replaceAll(apiKey, '***')
			.replaceAll(encodeURIComponent(apiKey), '***')
			.replace(/[\p{Cc}\p{Cf}\p{White_Space}]+/gu, ' ')
			.trim();
		return line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line;
	}

	/** An answer in a few words. */
	describe({ status, json, text, failure }: Answer): string {
		if (failure !== undefined) return this.show(`no answer: ${failure}`);
		if (text === '') return `${status}, no body`;
		if (json === undefined) return `${status}, ${/^\s*</.test(text) ? 'HTML' : 'not JSON'}`;
		if (typeof json !== 'object' || json === null) return `${status}, ${typeof json}`;
		if (Array.isArray(json)) return `${status}, a list`;
		const names = Object.keys(json);
		const shown = names.slice(0, MAX_FIELDS).map((name) => this.show(name, 30));
		const more = names.length > MAX_FIELDS ? ', …' : '';
		return `${status}, {${shown.join(', ')}${more}}`;
	}

	private noteSent(path: string): void {
		this.sent.set(path, [...(this.sent.get(path) ?? []), this.clock.now()]);
	}

	private async fetch(url: string, init: RequestInit): Promise<Answer> {
		const signal = AbortSignal.timeout(this.limitMs);
		let headers = new Headers();
		try {
			const response = await fetch(url, { ...init, redirect: 'manual', signal });
			({ headers } = response);
			const text = await readBody(response);
			return { status: response.status, headers, text, json: parse(text) };
		} catch (error) {
			return { status: 0, headers, text: '', ...toFailure(error, this.limitMs) };
		}
	}
}

async function readBody(response: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body ?? []) {
		chunks.push(chunk as Uint8Array);
		bytes += (chunk as Uint8Array).length;
		// Leaving the loop closes the connection.
		if (bytes > MAX_BODY_BYTES) break;
	}
	return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function toFailure(error: unknown, limitMs: number): Pick<Answer, 'failure' | 'isUnsent'> {
	const { name, message, cause } = error as Error;
	if (name === 'TimeoutError') return { failure: `none within ${limitMs / 1000} s` };
	const { code, message: reason } = (cause ?? {}) as NodeJS.ErrnoException;
	const isUnsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? '');
	return { failure: code ?? reason ?? message, isUnsent };
}
