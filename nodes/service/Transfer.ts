import { anySignal } from '../async/abortSignals';
import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import { tooLargeError, type ByteStream } from './httpResponse';

// A transfer is too slow if it waits for the network for this long without so many bytes.
const MAX_WAIT_MS = 30_000;
const MIN_BYTES_PER_WAIT = 30_000;

/** What ends a transfer before it is complete. */
export interface TransferLimits {
	/** Size of the unpacked file. */
	maxBytes: number;
	/** The clock's time. */
	deadline: number;
	/** Aborted when the execution is stopped. */
	stopSignal?: AbortSignal;
}

/**
 * One file on its way: counts its bytes, and fails it when it is too large, too slow or incomplete.
 */
export class Transfer {
	receivedBytes = 0;

	/** Why the transfer was given up, if it was. */
	failure?: ServiceError;

	private readonly abort = new AbortController();

	/** Since when it has been waiting for the network; unset while the reader is at work. */
	private waitingSince: number | undefined;

	/**
	 * How long it waited for the network before that, since the last `MIN_BYTES_PER_WAIT` were
	 * complete.
	 */
	private waitedMs = 0;

	/** The bytes that have arrived since then. */
	private newBytes = 0;

	constructor(
		private readonly clock: Clock,
		private readonly limits: TransferLimits,
	) {
		this.waitingSince = clock.now();
	}

	/** Aborted when the execution is stopped; unset if nothing stops it. */
	get stopSignal(): AbortSignal | undefined {
		return this.limits.stopSignal;
	}

	/** Ends the connection. */
	get signal(): AbortSignal {
		return anySignal(this.abort.signal, this.stopSignal);
	}

	/** Fails the transfer and throws if `bytes` exceeds the limit; `NaN`, an unknown size, never does. */
	failIfLarger(bytes: number): void {
		const { maxBytes } = this.limits;
		if (bytes > maxBytes) throw this.fail(tooLargeError(maxBytes));
	}

	/**
	 * The stream, checked. What is wrong makes it fail before its end: n8n would take a stream that
	 * just ends for a complete file. That a body is shorter than its `Content-Length` is seen by
	 * Node.js.
	 */
	guard(source: ByteStream): ByteStream {
		source.on('error', () => this.fail(new ServiceError({ kind: 'connectionLost' })));
		// Made by the stream's own class, since `node:stream` is not available on n8n Cloud.
		const { from } = source.constructor as unknown as {
			from: (chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }) => ByteStream;
		};
		return from(this.counted(source), { objectMode: false });
	}

	/** Fails the transfer when the network is too slow or its deadline has come, until it is over. */
	async watch(): Promise<void> {
		while (!this.abort.signal.aborted) {
			const now = this.clock.now();
			const leftMs = this.limits.deadline - now;
			const leftWaitMs = MAX_WAIT_MS - this.waitedMs - (now - (this.waitingSince ?? now));
			if (leftMs <= 0)
				this.fail(tooSlowError('the limit of two hours for all files of the job was reached'));
			else if (leftWaitMs <= 0) this.fail(tooSlowError('less than 30 kB arrived in 30 seconds'));
			else await this.clock.sleep(Math.min(leftMs, leftWaitMs), this.abort.signal);
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
			this.recordArrival((chunk as Buffer).length);
			this.failIfLarger(this.receivedBytes);
			yield chunk as Buffer;
			this.waitingSince = this.clock.now();
		}
	}

	private recordArrival(bytes: number): void {
		const now = this.clock.now();
		this.waitedMs += now - (this.waitingSince ?? now);
		this.waitingSince = undefined;
		this.receivedBytes += bytes;
		this.newBytes += bytes;

		if (this.newBytes >= MIN_BYTES_PER_WAIT) {
			this.newBytes = 0;
			this.waitedMs = 0;
		}
	}
}

function tooSlowError(detail: string): ServiceError {
	return new ServiceError({ kind: 'tooSlow', detail });
}
