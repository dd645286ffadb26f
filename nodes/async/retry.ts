import type { Clock } from './clock';
import { rethrow } from './rethrow';

/**
 * How long to pause before the next try, in ms, or undefined to give up. `failures` counts the
 * failed tries so far, including this one.
 */
export type RetryPolicy = (error: unknown, failures: number) => number | undefined;

export interface RetryOptions {
	clock: Clock;
	policy: RetryPolicy;
	/** Ends a pause, and prevents further tries; a try that is under way goes on. */
	signal?: AbortSignal;
}

/** Repeats a failed task as its policy says. Returns the first success, or throws the last error. */
export async function retry<T>(
	task: () => Promise<T>,
	{ clock, policy, signal }: RetryOptions,
): Promise<T> {
	for (let failures = 1; ; failures++) {
		try {
			return await task();
		} catch (error) {
			const pauseMs = policy(error, failures);
			if (pauseMs === undefined) rethrow(error);

			await clock.sleep(pauseMs, signal);
			if (signal?.aborted === true) rethrow(error);
		}
	}
}
