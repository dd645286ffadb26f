import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import { isInternal, isMetadata, isSameOrigin, parseUrl } from './baseUrl';
import { statusFacts } from './callError';
import type { HttpClient } from './HttpClient';
import { type ByteStream, type OpenResponse, tooLargeError } from './httpResponse';

// For the headers, redirects included, and then between two chunks.
const MAX_SILENCE_MS = 60_000;
const SILENCE = 'nothing arrived for a minute';

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const MAX_TYPE_CHARACTERS = 100;

/** What ends a download before it is complete. */
export interface DownloadOptions {
	/** Ends the download with `aborted`. */
	signal?: AbortSignal;
	/** The download fails as soon as the file is known to be larger. Default: no limit. */
	maxBytes?: number;
	/** Whether the user entered the link, so that the API key is never sent. Default: false. */
	isFromUser?: boolean;
}

/** What is known of a file before it is read. */
export interface FileHead {
	/** Unset if the response has no useful type. */
	mimeType?: string;
	/** Whether the link led elsewhere. */
	isRedirected: boolean;
	/** Whether the link was one of the base URL's origin. */
	isOfBaseUrl: boolean;
}

/** Reads a stream to its end. */
export type ReadFile<T> = (stream: ByteStream, head: FileHead) => Promise<T>;

/** What a `ReadFile` returned, and the decompressed size of the file. */
export interface Downloaded<T> {
	value: T;
	receivedBytes: number;
}

/**
 * Downloads what is behind a link, in one try, and passes its stream to `read`. Gives up with
 * `tooSlow` when the headers take a minute, and when nothing more arrives for a minute while `read`
 * is waiting for it. Throws a `ServiceError`, or what `read` throws.
 */
export async function download<T>(
	http: HttpClient,
	link: string,
	read: ReadFile<T>,
	{ signal, maxBytes = Infinity, isFromUser = false }: DownloadOptions,
): Promise<Downloaded<T>> {
	const limits = new DownloadLimits(http.connection.clock, maxBytes, signal);
	void limits.watchSilence();
	try {
		const opened = await openLink(http, link, { signal, limit: limits.signal, isFromUser });
		const { response, isRedirected, isOfBaseUrl } = opened;
		const stream = limits.guard(response.body);
		limits.checkSize(Number(response.headers['content-length'] ?? NaN));
		const head = { mimeType: mimeTypeOf(response), isRedirected, isOfBaseUrl };
		const value = await read(stream, head);
		return { value, receivedBytes: limits.receivedBytes };
	} catch (error) {
		throw limits.failure ?? error;
	} finally {
		limits.close();
	}
}

/** What ends the download of one file before it is complete. */
class DownloadLimits {
	/** How many bytes have arrived, decompressed. */
	receivedBytes = 0;

	/** Why the download has failed; unset if it has not. */
	failure?: ServiceError;

	private readonly end = new AbortController();

	/**
	 * Since when the download has been waiting for the network, in ms. Unset while a chunk is
	 * handled.
	 */
	private awaitedSince: number | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly maxBytes: number,
		private readonly stopSignal: AbortSignal | undefined,
	) {
		this.awaitedSince = clock.elapsed();
	}

	/** Aborted when the download has failed or is closed: the connection must end. */
	get signal(): AbortSignal {
		return this.end.signal;
	}

	/**
	 * Fails the download once the network has been awaited for a minute. Resolves when the download
	 * is over. A timer for each chunk instead would take as long as the download itself.
	 */
	async watchSilence(): Promise<void> {
		while (!this.signal.aborted) {
			const now = this.clock.elapsed();
			const leftMs = MAX_SILENCE_MS - (now - (this.awaitedSince ?? now));
			if (leftMs <= 0) this.fail(new ServiceError({ kind: 'tooSlow', detail: SILENCE }));
			else await this.clock.sleep(leftMs, this.signal);
		}
	}

	/** Throws `tooLarge` if `bytes` exceeds the limit. `NaN` never does. */
	checkSize(bytes: number): void {
		if (bytes > this.maxBytes) throw this.fail(tooLargeError(this.maxBytes));
	}

	/**
	 * Returns a stream with the bytes of `source`. Any error fails the stream before its end: n8n
	 * would take a stream that just ends for a complete file. Node.js itself detects a body that is
	 * shorter than its `Content-Length`.
	 */
	guard(source: ByteStream): ByteStream {
		this.awaitedSince = undefined;
		source.on('error', () => this.fail(new ServiceError({ kind: 'connectionLost' })));
		// Created by the class of `source`, since `node:stream` is not available on n8n Cloud.
		const { from } = source.constructor as unknown as {
			from: (chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }) => ByteStream;
		};
		return from(this.chunksOf(source), { objectMode: false });
	}

	/** Ends the connection. Must be called when the reader is done, or has failed. */
	close(): void {
		this.end.abort();
	}

	/** Ends the download, and returns its first failure: `aborted` if it was stopped, or `error`. */
	private fail(error: ServiceError): ServiceError {
		const isStopped = this.stopSignal?.aborted === true;
		this.failure ??= isStopped ? new ServiceError({ kind: 'aborted' }) : error;
		this.end.abort();
		return this.failure;
	}

	private async *chunksOf(source: ByteStream): AsyncGenerator<Buffer> {
		this.awaitedSince = this.clock.elapsed();
		for await (const chunk of source) {
			// Not counted while the reader handles a chunk, so n8n may store the file at its own pace.
			this.awaitedSince = undefined;
			this.receivedBytes += (chunk as Buffer).length;
			this.checkSize(this.receivedBytes);
			yield chunk as Buffer;
			this.awaitedSince = this.clock.elapsed();
		}
		this.awaitedSince = undefined;
	}
}

// A generic type is ignored, since n8n can tell more from the name of a file.
function mimeTypeOf({ headers }: OpenResponse): string | undefined {
	const [type = ''] = String(headers['content-type'] ?? '').split(';');
	const plain = type.trim().toLowerCase();
	const isUseful = MIME_TYPE.test(plain) && !plain.endsWith('/octet-stream');
	return isUseful && plain.length <= MAX_TYPE_CHARACTERS ? plain : undefined;
}

const MAX_REDIRECTS = 5;

/** How to open a link. */
interface OpenOptions {
	/** Whether the user entered the link. */
	isFromUser: boolean;
	/** Ends the request, or the reading of its response, with `aborted`. */
	signal?: AbortSignal;
	/** Ends the request, or the reading of its response, for another reason. */
	limit: AbortSignal;
}

/** The response to the last request for a link. */
interface OpenedLink extends Omit<FileHead, 'mimeType'> {
	/** With status 200 or, if the user entered the link, 204. */
	response: OpenResponse;
}

/**
 * Opens a link, follows up to five redirects, and returns the response.
 *
 * A link from the service may lead to an internal host only if the base URL's host is internal. The
 * key is sent only to the base URL's origin, and never to the target of a redirect.
 *
 * A link that the user entered may lead to an internal host. The key is never sent.
 *
 * A redirect may lead to an internal host only within the link's own origin or, for a link from the
 * service, to the base URL's origin. With an internal base URL, it may also lead from one internal
 * host to another, as long as none before was public.
 *
 * Throws `invalidLink` for a URL that must not be opened and for too many redirects, and an error
 * for any status but 200 or, for a link that the user entered, 204.
 */
async function openLink(
	http: HttpClient,
	link: string,
	{ isFromUser, signal, limit }: OpenOptions,
): Promise<OpenedLink> {
	const { baseUrl } = http.connection;
	let url = toWebUrl(link, `${baseUrl}/`);
	const trustedUrls = isFromUser ? [url] : [url, baseUrl];
	requireAllowed(url, isFromUser || isInternal(baseUrl));
	const isOfBaseUrl = isSameOrigin(url, baseUrl);
	let sendsKey = !isFromUser && isOfBaseUrl;
	// Whether no host on the way was public.
	let isInside = !isFromUser && isInternal(baseUrl) && isInternal(url);

	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const hop = new AbortController();
		const response = await http.open(
			{ method: 'GET', url, omitsKey: !sendsKey, isFile: true, signal },
			anySignal(limit, hop.signal),
		);
		const { statusCode, headers, body } = response;
		const isSuccess = statusCode === 200 || (isFromUser && statusCode === 204);
		if (isSuccess) return { response, isRedirected: redirects > 0, isOfBaseUrl };

		// Destroying n8n's stream before it was read would leave the connection open.
		body.on('error', () => {});
		hop.abort();
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || typeof headers.location !== 'string') {
			throw new ServiceError(statusFacts(response));
		}
		const target = toWebUrl(headers.location, url);
		const isTrusted = trustedUrls.some((trusted) => isSameOrigin(target, trusted));
		requireAllowed(target, isTrusted || isInside);
		url = target;
		isInside &&= isInternal(url);
		sendsKey = false;
	}
	throw invalidLinkError(`it redirects more than ${MAX_REDIRECTS} times`);
}

function toWebUrl(link: string, base: string): string {
	const url = parseUrl(link, base);
	if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url.href;
	throw invalidLinkError('its link is not a valid URL');
}

// Protects against SSRF: a link from outside must not lead into the user's network, and no link may
// lead to a cloud's metadata.
function requireAllowed(url: string, mayBePrivate: boolean): void {
	if (isMetadata(url)) throw invalidLinkError('it is at a cloud metadata address');
	if (isInternal(url) && !mayBePrivate) throw invalidLinkError('it is in a private network');
}

/** Returns the error for a link that can't be followed, with the reason as its `detail`. */
export function invalidLinkError(detail: string): ServiceError {
	return new ServiceError({ kind: 'invalidLink', detail });
}
