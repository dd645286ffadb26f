const PAUSE_MS = 10;

/** Asks again and again until `check` does not throw, and returns what it returned. */
export async function waitFor<T>(check: () => T | Promise<T>, withinMs = 5_000): Promise<T> {
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
