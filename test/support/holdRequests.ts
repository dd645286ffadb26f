import type { IHttpRequestOptions } from 'n8n-workflow';

import { waitFor } from './waitFor';

/** Holds all requests with this text in their URL or body, as a slow network does. */
export function holdRequests(text: string) {
	let count = 0;
	let release = () => {};
	const released = new Promise<undefined>((resolve) => {
		release = () => resolve(undefined);
	});
	return {
		/** Pass this to the run. */
		onRequest: async ({ url, body }: IHttpRequestOptions) => {
			if (!`${url} ${String(body)}`.includes(text)) return undefined;
			count++;
			return await released;
		},
		/** Resolves when the first one has been sent. */
		sent: async () => await waitFor(() => expect(count).toBeGreaterThan(0)),
		/** Lets them through, and all later ones. */
		release: () => release(),
	};
}
