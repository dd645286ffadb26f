import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

const REQUEST_SENT = 'http.client.request.start';
const RESPONSE_BEGUN = 'http.client.response.finish';

// The state is checked once per turn of the event loop, or every millisecond while a request is
// open. A response takes at most this many checks from its socket to the node.
const IDLE_CHECKS = 5;
// An open request that has not moved for this many checks is waiting for time to pass.
const STALLED_CHECKS = 10;
// Bodies are decompressed in a thread, which Node.js does not show.
const DECOMPRESSING_MS = 2;

// A file handle that is being closed, and the look-up of a name.
const OTHER_WORK_IN_THREADS = ['CloseReq', 'GetAddrInfoReqWrap'];

/**
 * Tells a simulated clock whether this process has anything under way:
 *
 * - HTTP requests that this process has sent, whether they move or wait for time to pass.
 * - Calls of the file system, and look-ups of names.
 * - Whatever has called `begin`.
 *
 * Node.js does not show other work in threads: hold the clock for it.
 */
export class ProcessActivity {
	private readonly openRequests = new Set<ClientRequest>();

	/** Requests whose response is compressed. */
	private readonly compressedRequests = new WeakSet<ClientRequest>();

	private readonly requestListeners = new Set<() => void>();

	private requestsSent = 0;

	private othersUnderWay = 0;

	/** When the last compressed response is taken for decompressed, by `performance.now()`. */
	private decompressedAt = -Infinity;

	/** The state in which nothing moved the last time. */
	private stalledState?: string;

	/** Starts observing, until `unwatch`. */
	watch(): void {
		subscribe(REQUEST_SENT, this.onRequestSent);
		subscribe(RESPONSE_BEGUN, this.onResponseBegun);
	}

	unwatch(): void {
		unsubscribe(REQUEST_SENT, this.onRequestSent);
		unsubscribe(RESPONSE_BEGUN, this.onResponseBegun);
	}

	/** Calls `listener` with each request that is sent, until the returned function is called. */
	onRequest(listener: () => void): () => void {
		this.requestListeners.add(listener);
		return () => this.requestListeners.delete(listener);
	}

	/**
	 * Counts something that Node.js does not show as under way until the returned function is called.
	 */
	begin(): () => void {
		let isUnderWay = true;
		this.othersUnderWay++;
		return () => {
			if (isUnderWay) this.othersUnderWay--;
			isUnderWay = false;
		};
	}

	/** The number of open requests. */
	get requests(): number {
		return this.openRequests.size;
	}

	/**
	 * Resolves when nothing is under way, or only requests that don't move; returns whether there are
	 * any.
	 */
	async untilIdle(): Promise<boolean> {
		let quietChecks = 0;
		let before: string | undefined;
		for (;;) {
			await this.nextTurn();
			const state = `${this.requestsSent} requests, ${this.bytesMoved()} bytes`;
			const isQuiet =
				state === before &&
				this.othersUnderWay === 0 &&
				!isWaitingForThread() &&
				!this.isDecompressing();
			quietChecks = isQuiet ? quietChecks + 1 : 0;
			before = state;
			if (this.requests === 0) {
				if (quietChecks >= IDLE_CHECKS) return false;
			} else if (quietChecks >= (state === this.stalledState ? IDLE_CHECKS : STALLED_CHECKS)) {
				this.stalledState = state;
				return true;
			}
		}
	}

	private readonly onRequestSent = (message: unknown): void => {
		const { request } = message as { request: ClientRequest };
		this.requestsSent++;
		this.openRequests.add(request);
		request.once('close', () => {
			this.openRequests.delete(request);
			if (this.compressedRequests.has(request))
				this.decompressedAt = performance.now() + DECOMPRESSING_MS;
		});
		for (const listener of this.requestListeners) listener();
	};

	private readonly onResponseBegun = (message: unknown): void => {
		const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
		if (response.headers['content-encoding'] !== undefined) this.compressedRequests.add(request);
	};

	private async nextTurn(): Promise<void> {
		await new Promise<void>((resolve) => {
			if (this.requests > 0 || this.isDecompressing()) setTimeout(resolve, 1);
			else setImmediate(resolve);
		});
	}

	private bytesMoved(): number {
		let bytes = 0;
		for (const { socket } of this.openRequests) {
			bytes += (socket?.bytesRead ?? 0) + (socket?.bytesWritten ?? 0);
		}
		return bytes;
	}

	private isDecompressing(): boolean {
		return performance.now() < this.decompressedAt;
	}
}

function isWaitingForThread(): boolean {
	return process
		.getActiveResourcesInfo()
		.some((name) => name.startsWith('FSReq') || OTHER_WORK_IN_THREADS.includes(name));
}
