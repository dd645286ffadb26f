import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

const REQUEST_SENT = 'http.client.request.start';
const RESPONSE_BEGUN = 'http.client.response.finish';

// How many turns of the event loop a response takes at most from its socket to the node.
const IDLE_TURNS = 5;
// An open request that has not moved for this many milliseconds is waiting for time to pass.
const STALLED_TURNS = 10;
// Bodies are unpacked in a thread, which Node.js does not show.
const UNPACKING_MS = 2;

/**
 * Tells a simulated clock whether this process has anything under way:
 *
 * - HTTP requests to servers in this process, whether they move or wait for time to pass.
 * - Calls of the file system, and look-ups of names.
 *
 * Node.js does not show other work in threads: hold the clock for it.
 */
export class ProcessActivity {
	private readonly openRequests = new Set<ClientRequest>();

	/** Those whose response is packed. */
	private readonly packedRequests = new WeakSet<ClientRequest>();

	private readonly requestListeners = new Set<() => void>();

	private requestsSent = 0;

	private unpackedAt = -Infinity;

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

	/** Calls this with each request that is sent. */
	onRequest(listener: () => void): void {
		this.requestListeners.add(listener);
	}

	/** How many requests are open. */
	get requests(): number {
		return this.openRequests.size;
	}

	/**
	 * Resolves when nothing is under way, or only requests that don't move; returns whether there are
	 * any.
	 */
	async untilIdle(): Promise<boolean> {
		let quietTurns = 0;
		let before: string | undefined;
		for (;;) {
			await this.nextTurn();
			const state = `${this.requestsSent} requests, ${this.bytesMoved()} bytes`;
			const isQuiet = state === before && !isWaitingForThread() && !this.isUnpacking();
			quietTurns = isQuiet ? quietTurns + 1 : 0;
			before = state;
			if (this.requests === 0) {
				if (quietTurns >= IDLE_TURNS) return false;
			} else if (quietTurns >= (state === this.stalledState ? IDLE_TURNS : STALLED_TURNS)) {
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
			if (this.packedRequests.has(request)) this.unpackedAt = performance.now() + UNPACKING_MS;
		});
		for (const listener of this.requestListeners) listener();
	};

	private readonly onResponseBegun = (message: unknown): void => {
		const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
		if (response.headers['content-encoding'] !== undefined) this.packedRequests.add(request);
	};

	private async nextTurn(): Promise<void> {
		await new Promise<void>((resolve) => {
			if (this.requests > 0 || this.isUnpacking()) setTimeout(resolve, 1);
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

	private isUnpacking(): boolean {
		return performance.now() < this.unpackedAt;
	}
}

function isWaitingForThread(): boolean {
	return process
		.getActiveResourcesInfo()
		.some((name) => name.startsWith('FSReq') || name === 'GetAddrInfoReqWrap');
}
