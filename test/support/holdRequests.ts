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

/** Holds all requests whose address contains this text, as a slow network or service does. */
export function holdRequests(path: string): HeldRequests {
	let count = 0;
	let release = () => {};
	const released = new Promise<undefined>((resolve) => {
		release = () => resolve(undefined);
	});
	return {
		onRequest: async ({ url }) => {
			if (!url.includes(path)) return undefined;
			count++;
			return await released;
		},
		sent: async () => await waitFor(() => expect(count).toBeGreaterThan(0)),
		release: () => release(),
	};
}
