import type { Clock } from '../async/clock';
import { ServiceError } from '../errors/ServiceError';
import { tooLargeError, type ByteStream } from './httpResponse';

// A transfer is too slow if fewer than `MIN_BYTES_PER_WAIT` arrive in `MAX_WAIT_MS` of waiting for
// the network.
const MAX_WAIT_MS = 30_000;
const MIN_BYTES_PER_WAIT = 30_000;
const STALLED = `less than ${MIN_BYTES_PER_WAIT / 1_000} kB arrived in ${MAX_WAIT_MS / 1_000} seconds`;

/** When to give up a download, and why. */
export interface DownloadDeadline {
	/** A `Clock` timestamp in ms. */
	at: number;
	/** Which limit this is, as the end of a message. */
	reason: string;
}

/** What ends a transfer before it is complete. */
export interface TransferLimits {
	/** The maximum size of the decompressed file. */
	maxBytes: number;
	/** If unset, the whole transfer may take any time. */
	deadline?: DownloadDeadline;
	/** Ends the transfer with `aborted`. */
	stopSignal?: AbortSignal;
}

/**
 * The transfer of one file. Counts its bytes, and fails when the file is too large, too slow or
 * incomplete.
 */
export class Transfer {
	/** How many bytes have arrived, decompressed. */
	receivedBytes = 0;

	/** Why the transfer has failed; unset if it has not. */
	failure?: ServiceError;

	private readonly abort = new AbortController();

	/** When the current wait for the network began; unset while the reader handles a chunk. */
	private waitingSince: number | undefined;

	/** The total of all earlier waits since `newBytes` was last reset, in ms. */
	private waitedMs = 0;

	/** The bytes that have arrived; reset with `waitedMs` once they are `MIN_BYTES_PER_WAIT`. */
	private newBytes = 0;

	constructor(
		private readonly clock: Clock,
		private readonly limits: TransferLimits,
	) {
		this.waitingSince = clock.now();
	}

	/** The limits' signal. */
	get stopSignal(): AbortSignal | undefined {
		return this.limits.stopSignal;
	}

	/** Aborted when the transfer has failed or is closed: the connection must end. */
	get signal(): AbortSignal {
		return this.abort.signal;
	}

	/** Fails the transfer and throws `tooLarge` if `bytes` exceeds the limit. `NaN` never does. */
	failIfLarger(bytes: number): void {
		const { maxBytes } = this.limits;
		if (bytes > maxBytes) throw this.fail(tooLargeError(maxBytes));
	}

	/**
	 * Returns a stream with the bytes of `source`, which are counted and checked. Any error fails the
	 * stream before its end: n8n would take a stream that just ends for a complete file. Node.js
	 * itself detects a body that is shorter than its `Content-Length`.
	 */
	guard(source: ByteStream): ByteStream {
		source.on('error', () => this.fail(new ServiceError({ kind: 'connectionLost' })));
		// Created by the class of `source`, since `node:stream` is not available on n8n Cloud.
		const { from } = source.constructor as unknown as {
			from: (chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }) => ByteStream;
		};
		return from(this.counted(source), { objectMode: false });
	}

	/** Fails the transfer at its deadline, or if it is too slow. Resolves once it is over. */
	async watch(): Promise<void> {
		while (!this.abort.signal.aborted) {
			const now = this.clock.now();
			const { at = Infinity, reason = '' } = this.limits.deadline ?? {};
			const leftMs = at - now;
			const leftWaitMs = MAX_WAIT_MS - this.waitedMs - this.currentWaitMs(now);
			if (leftMs <= 0) {
				this.fail(tooSlowError(reason));
			} else if (leftWaitMs <= 0) {
				this.fail(tooSlowError(STALLED));
			} else {
				await this.clock.sleep(Math.min(leftMs, leftWaitMs), this.abort.signal);
			}
		}
	}

	/** Ends the transfer and `watch`. Must be called when the reader is done, or has failed. */
	close(): void {
		this.abort.abort();
	}

	/** Ends the transfer, and returns its first failure: `aborted` if it was stopped, or `error`. */
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

	private currentWaitMs(now: number): number {
		return this.waitingSince === undefined ? 0 : now - this.waitingSince;
	}

	private recordArrival(bytes: number): void {
		const now = this.clock.now();
		this.waitedMs += this.currentWaitMs(now);
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
