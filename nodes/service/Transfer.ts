import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { rethrown, ServiceError } from '../errors/ServiceError';
import { tooLarge, type ByteStream } from './httpResponse';

const MAX_SILENCE_MS = 30_000;
const MAX_DOWNLOAD_MS = 2 * 60 * 60_000;
const CHECK_INTERVAL_MS = 1_000;

/** One file on its way: counts its bytes, and fails it when it is too large, too slow or incomplete. */
export class Transfer {
	receivedBytes = 0;

	/** Why the transfer was given up, if it was. */
	failure?: ServiceError;

	private readonly abort = new AbortController();

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
		if (bytes > this.maxBytes) throw this.fail(tooLarge(this.maxBytes));
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

	/** Fails the transfer when the network is silent or takes too long, until it is over. */
	async watch(): Promise<void> {
		for (;;) {
			await this.clock.sleep(CHECK_INTERVAL_MS, this.abort.signal);
			if (this.abort.signal.aborted) return;
			const silentMs = this.waitingSince === undefined ? 0 : this.clock.now() - this.waitingSince;
			const waitedMs = this.waitedMs + silentMs;
			if (silentMs >= MAX_SILENCE_MS || waitedMs >= MAX_DOWNLOAD_MS) {
				this.fail(new ServiceError({ kind: 'timeout' }));
			}
		}
	}

	/** Call it when nobody reads any more. */
	close(): void {
		this.abort.abort();
	}

	private fail(error: ServiceError): ServiceError {
		const isStopped = this.stopSignal?.aborted === true;
		this.failure ??= isStopped ? new ServiceError({ kind: 'aborted' }) : error;
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
			const lost = new ServiceError({ kind: 'connectionLost' });
			throw rethrown(isReaders ? error : this.fail(lost));
		}
	}
}
