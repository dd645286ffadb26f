import type { ItemRun } from './operations/operation';

// A stopped execution has to end within a second.
const STOP_GRACE_MS = 800;

/**
 * What `promise` comes to, or undefined when the execution is stopped and it has not come to
 * anything shortly after. Rejects as `promise` does; a later rejection is the caller's to handle.
 */
export async function withinStopGrace<T>(
	promise: Promise<T>,
	{ signal, clock }: Pick<ItemRun, 'signal' | 'clock'>,
): Promise<{ value: T } | undefined> {
	const stopped = new Promise<void>((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener('abort', () => resolve(), { once: true });
	});
	return await Promise.race([
		promise.then((value) => ({ value })),
		stopped.then(async () => {
			await clock.sleep(STOP_GRACE_MS);
			return undefined;
		}),
	]);
}
