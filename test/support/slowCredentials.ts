import { ExecuteContext } from 'n8n-core';

import type { Clock } from '../../nodes/async/clock';

/**
 * Makes each read of a credential take this long, in ms, until mocks are restored, as in an n8n
 * whose database is busy. Returns how many reads have begun so far, and calls `onRead` with that.
 */
export function slowCredentials(
	clock: Clock,
	ms: number,
	onRead: (reads: number) => void = () => {},
): { readonly reads: number } {
	const count = { reads: 0 };
	const { getCredentials } = ExecuteContext.prototype;
	jest.spyOn(ExecuteContext.prototype, 'getCredentials').mockImplementation(async function (
		this: ExecuteContext,
		...args
	) {
		count.reads++;
		onRead(count.reads);
		await clock.sleep(ms);
		return await getCredentials.apply(this, args);
	});
	return count;
}
