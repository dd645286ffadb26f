import type { NodeRun } from './runNode';
import { waitFor } from './waitFor';

/** Requests that the node has sent, and that don't arrive yet. */
export interface HeldRequests {
	/** To be given to the run. */
	onRequest: NonNullable<NodeRun['onRequest']>;
	/** Resolves when the first one has been sent. */
	sent(): Promise<void>;
	/** Lets them arrive, and all that follow. */
	release(): void;
}

/** Holds all requests with this text in their address or body, as a slow network does. */
export function holdRequests(text: string): HeldRequests {
	let count = 0;
	let release = () => {};
	const released = new Promise<undefined>((resolve) => {
		release = () => resolve(undefined);
	});
	return {
		onRequest: async ({ url, body }) => {
			if (!`${url} ${String(body)}`.includes(text)) return undefined;
			count++;
			return await released;
		},
		sent: async () => await waitFor(() => expect(count).toBeGreaterThan(0)),
		release: () => release(),
	};
}
