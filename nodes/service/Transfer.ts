import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
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
		source.on('error', () => this.fail(new ServiceError({ kind: 'connectionLost' })));
		// Made by the stream's own class, since `node:stream` is not available on n8n Cloud.
		const { from } = source.constructor as unknown as {
			from: (chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }) => ByteStream;
		};
		return from(this.counted(source), { objectMode: false });
	}

	/** Fails the transfer when the network is silent or all of it takes too long, until it is over. */
	async watch(): Promise<void> {
		const deadline = this.clock.now() + MAX_DOWNLOAD_MS;
		while (!this.abort.signal.aborted) {
			const now = this.clock.now();
			const isSilent = now - (this.waitingSince ?? now) >= MAX_SILENCE_MS;
			if (isSilent || now >= deadline) this.fail(new ServiceError({ kind: 'timeout' }));
			await this.clock.sleep(CHECK_INTERVAL_MS, this.abort.signal);
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

	private async *counted(source: ByteStream): AsyncGenerator<Buffer> {
		for await (const chunk of source) {
			this.waitingSince = undefined;
			this.receivedBytes += (chunk as Buffer).length;
			this.expect(this.receivedBytes);
			yield chunk as Buffer;
			this.waitingSince = this.clock.now();
		}
	}
}
