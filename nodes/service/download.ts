import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { rethrown, ServiceError, type ServiceErrorKind } from '../errors/ServiceError';
import { isSameOrigin } from './baseUrl';
import type { HttpClient } from './HttpClient';
import { isInternal } from './internalHosts';
import { readText, type ByteStream, type OpenResponse } from './httpResponse';
import { toStatusError } from './responseError';
import { retryRead } from './retryRead';

export interface DownloadOptions {
	signal?: AbortSignal;
	/** A larger file is given up as soon as it is known to be larger. */
	maxBytes?: number;
}

/** Reads a stream to its end. `mimeType` is unset if the response said nothing useful. */
export type ReadFile<T> = (stream: ByteStream, mimeType?: string) => Promise<T>;

interface Received<T> {
	result: T;
	receivedBytes: number;
}

const MAX_REDIRECTS = 5;
const MAX_SILENCE_MS = 30_000;
// A host that sends less than 1 KB/s for a minute would hold the execution for ever.
const RATE_WINDOW_MS = 60_000;
const MIN_BYTES_PER_WINDOW = 60 * 1024;
const MAX_DOWNLOAD_MS = 2 * 60 * 60_000;
const CHECK_INTERVAL_MS = 1_000;
const MB = 1024 * 1024;
const EXPIRED_STATUSES = [400, 403, 404, 410];
const UNSPECIFIC_TYPES = ['application/octet-stream', 'binary/octet-stream'];
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/**
 * Downloads a file and returns what `read` made of it, after up to three attempts. `listAgain` gives a
 * new link for an expired one. Throws what `read` throws, or a `ServiceError`.
 */
export async function downloadFile<T>(
	http: HttpClient,
	link: string | undefined,
	listAgain: () => Promise<string | undefined>,
	read: ReadFile<T>,
	options: DownloadOptions,
): Promise<Received<T>> {
	let current = link;
	let isRenewed = false;
	const attempt = async () => {
		if (current === undefined) throw invalidLink('it has no link');
		try {
			return await receive(http, current, read, options);
		} catch (error) {
			if (isRenewed || !isExpired(error)) throw rethrown(error);
			current = (await listAgain()) ?? current;
			isRenewed = true;
			return await receive(http, current, read, options);
		}
	};
	return await retryRead(attempt, options, http.connection.clock);
}

/** The text at an address, sent for without the key. Throws a `ServiceError`. */
export async function readPage(
	http: HttpClient,
	url: string,
	{ signal, maxBytes = Infinity }: DownloadOptions,
): Promise<string> {
	const read = async (stream: ByteStream) => await readText(stream, maxBytes);
	const { result } = await receive(http, url, read, { signal, maxBytes }, { isUnsigned: true });
	return result;
}

async function receive<T>(
	http: HttpClient,
	link: string,
	read: ReadFile<T>,
	{ signal, maxBytes = Infinity }: DownloadOptions,
	{ isUnsigned = false } = {},
): Promise<Received<T>> {
	const transfer = new Transfer(http.connection.clock, maxBytes, signal);
	const watching = transfer.watch();
	try {
		const response = await openLink(http, link, transfer, isUnsigned);
		transfer.expect(Number(response.headers['content-length'] ?? NaN));
		const stream = transfer.guard(response.stream);
		const result = await read(stream, mimeTypeOf(response));
		return { result, receivedBytes: transfer.receivedBytes };
	} catch (error) {
		throw rethrown(transfer.failure ?? error);
	} finally {
		transfer.close();
		await watching;
	}
}

// The key goes to the base URL's own origin only, and to no redirect.
async function openLink(
	http: HttpClient,
	link: string,
	transfer: Transfer,
	isUnsigned: boolean,
): Promise<OpenResponse> {
	const { baseUrl } = http.connection;
	let url = toFileUrl(link, baseUrl);
	let isSigned = !isUnsigned && isSameOrigin(url, baseUrl);
	// Whoever writes links or redirects must not reach into the user's network from outside.
	const mayBeInternal = isInternal(isUnsigned ? url : baseUrl);
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		if (isInternal(url) && !mayBeInternal) throw invalidLink('it is in a private network');
		const hop = new AbortController();
		const response = await http.open(
			{ method: 'GET', url, isUnsigned: !isSigned, isFile: true, signal: transfer.stopSignal },
			anySignal(transfer.signal, hop.signal),
		);
		const { statusCode, headers, stream } = response;
		if (statusCode === 200) return response;

		// Aborted, since destroying n8n's stream before it was read would leave the connection open.
		stream.on('error', () => {});
		hop.abort();
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || typeof headers.location !== 'string') {
			throw toStatusError({ statusCode, headers, body: undefined }, http.connection);
		}
		url = toFileUrl(headers.location, url);
		isSigned = false;
	}
	throw invalidLink(`it redirects more than ${MAX_REDIRECTS} times`);
}

/** One file on its way: counts its bytes, and fails it when it is too large, too slow or incomplete. */
class Transfer {
	receivedBytes = 0;

	/** Why the transfer was given up, if it was. */
	failure?: ServiceError;

	private readonly abort = new AbortController();

	private readonly closed = new AbortController();

	/** Since when it has been waiting for the network; unset while the reader is at work. */
	private waitingSince: number | undefined;

	private waitedMs = 0;

	constructor(
		private readonly clock: Clock,
		private readonly maxBytes: number,
		readonly stopSignal: AbortSignal | undefined,
	) {
		this.waitingSince = clock.now();
	}

	/** Ends the connection. */
	get signal(): AbortSignal {
		return anySignal(this.abort.signal, this.stopSignal);
	}

	/** Fails the transfer if it is known in advance to be too large. */
	expect(bytes: number): void {
		if (bytes > this.maxBytes) throw this.fail('tooLarge', `over ${this.maxBytes / MB} MB`);
	}

	/**
	 * The stream, checked. What is wrong makes it fail before its end: n8n would take a stream that just
	 * ends for a complete file. That a body is shorter than its `Content-Length` is seen by Node.js.
	 */
	guard(source: ByteStream): ByteStream {
		source.on('error', () => {});
		// Made by the stream's own class, since `node:stream` is not available on n8n Cloud.
		const { from } = source.constructor as unknown as {
			from: (chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }) => ByteStream;
		};
		return from(this.checked(source), { objectMode: false });
	}

	/** Fails the transfer when the network is silent or too slow, until it is closed. */
	async watch(): Promise<void> {
		let windowBytes = 0;
		let windowWaitedMs = 0;
		while (!this.closed.signal.aborted) {
			await this.clock.sleep(CHECK_INTERVAL_MS, this.closed.signal);
			const silentMs = this.waitingSince === undefined ? 0 : this.clock.now() - this.waitingSince;
			const waitedMs = this.waitedMs + silentMs;
			const isWindowOver = waitedMs - windowWaitedMs >= RATE_WINDOW_MS;
			const isSlow = isWindowOver && this.receivedBytes - windowBytes < MIN_BYTES_PER_WINDOW;
			if (this.closed.signal.aborted) return;
			if (silentMs >= MAX_SILENCE_MS || isSlow || waitedMs >= MAX_DOWNLOAD_MS) this.fail('timeout');
			if (isWindowOver) [windowBytes, windowWaitedMs] = [this.receivedBytes, waitedMs];
		}
	}

	/** To be called when nobody reads any more. */
	close(): void {
		this.closed.abort();
		this.abort.abort();
	}

	private fail(kind: ServiceErrorKind, detail?: string): ServiceError {
		const isStopped = this.stopSignal?.aborted === true;
		this.failure ??= new ServiceError(isStopped ? { kind: 'aborted' } : { kind, detail });
		this.abort.abort();
		return this.failure;
	}

	private async *checked(source: ByteStream): AsyncGenerator<Buffer> {
		const began = () => (this.waitingSince ??= this.clock.now());
		began();
		try {
			for await (const chunk of source) {
				this.waitedMs += this.clock.now() - began();
				this.waitingSince = undefined;
				this.receivedBytes += (chunk as Buffer).length;
				this.expect(this.receivedBytes);
				yield chunk as Buffer;
				began();
			}
		} catch (error) {
			// An error while the reader is at work is the reader's own.
			const isReaders = this.waitingSince === undefined && this.failure === undefined;
			throw rethrown(isReaders ? error : this.fail('connectionLost'));
		}
	}
}

function toFileUrl(link: string, base: string): string {
	let url: URL;
	try {
		url = new URL(link, `${base}${base.endsWith('/') ? '' : '/'}`);
	} catch {
		throw rethrown(invalidLink('its link is not an address'));
	}
	if (!['http:', 'https:'].includes(url.protocol)) {
		throw invalidLink('its link is not a web address');
	}
	return url.href;
}

function invalidLink(detail: string): ServiceError {
	return new ServiceError({ kind: 'invalidLink', detail });
}

function isExpired(error: unknown): boolean {
	return error instanceof ServiceError && EXPIRED_STATUSES.includes(error.facts.statusCode ?? 0);
}

function mimeTypeOf({ headers }: OpenResponse): string | undefined {
	const [type = ''] = String(headers['content-type'] ?? '').split(';');
	const plain = type.trim().toLowerCase();
	return MIME_TYPE.test(plain) && !UNSPECIFIC_TYPES.includes(plain) ? plain : undefined;
}
