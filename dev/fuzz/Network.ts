import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

// A body that has arrived is still to be unpacked and read.
const QUIET_MS = 2;

/** The HTTP requests of this process that are under way. */
export class Network {
	private readonly open = new Set<ClientRequest>();
	private lastEnd = 0;

	constructor() {
		subscribe('http.client.request.start', (message) => {
			const { request } = message as { request: ClientRequest };
			this.open.add(request);
			request.once('close', () => {
				this.open.delete(request);
				this.lastEnd = performance.now();
			});
		});
	}

	/** Whether something is going to arrive: then no time passes. */
	get isBusy(): boolean {
		return this.isUnderWay || performance.now() - this.lastEnd < QUIET_MS;
	}

	get isUnderWay(): boolean {
		return this.open.size > 0;
	}

	/** Forgets the requests of the last case. */
	reset(): void {
		this.open.clear();
	}
}
