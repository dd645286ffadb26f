import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import type { HttpClient } from './HttpClient';
import { tooLargeError, type ByteStream, type OpenResponse } from './httpResponse';
import { openLink } from './openLink';

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

/** Reads a stream to its end. `mimeType` is undefined if the response has no useful type. */
export type ReadFile<T> = (stream: ByteStream, mimeType?: string) => Promise<T>;

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
		const response = await openLink(http, link, { signal, limit: limits.signal, isFromUser });
		const stream = limits.guard(response.body);
		limits.checkSize(Number(response.headers['content-length'] ?? NaN));
		const value = await read(stream, mimeTypeOf(response));
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

	/** Since when the network is awaited, in ms; unset while the reader handles a chunk. */
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
