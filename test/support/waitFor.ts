const PAUSE_MS = 10;

/**
 * Calls `check` every 10 ms of real time until it does not throw, and returns what it returned.
 * After `withinMs`, by default long enough for a busy machine, throws what `check` has thrown last.
 * For what arrives over HTTP while a clock is held.
 */
export async function waitFor<T>(check: () => T | Promise<T>, withinMs = 60_000): Promise<T> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		try {
			return await check();
		} catch (error) {
			if (Date.now() >= deadline) throw error;
			await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
		}
	}
}
