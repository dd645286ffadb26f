const CHECK_INTERVAL_MS = 1_000;

/**
 * Checks the condition every second until it is met. Rejects with `description` after `timeoutMs`.
 */
export async function waitFor(
	condition: () => Promise<boolean>,
	timeoutMs: number,
	description = String(condition),
): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	while (!(await condition())) {
		if (Date.now() > deadline) {
			throw new Error(`Timed out after ${timeoutMs / 1000} s: ${description}`);
		}
		await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
	}
}
