import type { Clock } from './clock';
import { rethrow } from './rethrow';

/**
 * Returns the delay before the next try, in ms, or undefined to give up. `failures` counts
 * the failed tries so far, including the one that threw `error`.
 */
export type RetryPolicy = (error: unknown, failures: number) => number | undefined;

/** When `retry` tries again. */
export interface RetryOptions {
	clock: Clock;
	policy: RetryPolicy;
	/** Ends a delay and prevents more tries, but doesn't end the current try. */
	signal?: AbortSignal;
}

/**
 * Runs a task, and runs it again after each failure for which `policy` returns a delay. Returns the
 * result of the first try that succeeds. Throws the last error when the policy gives up, and when
 * the signal is aborted during a try that fails or during a delay.
 */
export async function retry<T>(
	task: () => Promise<T>,
	{ clock, policy, signal }: RetryOptions,
): Promise<T> {
	for (let failures = 1; ; failures++) {
		try {
			return await task();
		} catch (error) {
			const delayMs = policy(error, failures);
			if (delayMs === undefined) rethrow(error);

			await clock.sleep(delayMs, signal);
			if (signal?.aborted === true) rethrow(error);
		}
	}
}
