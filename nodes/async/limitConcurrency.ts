/**
 * Runs `task` for the indices from 0 to `count - 1`, at most `limit` at a time, started in order.
 * After a rejection no more are started; rejects with the first rejection once all running tasks
 * have settled.
 */
export async function limitConcurrency(
	count: number,
	limit: number,
	task: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	let failure: { error: unknown } | undefined;

	const worker = async () => {
		while (next < count && failure === undefined) {
			try {
				await task(next++);
			} catch (error) {
				failure ??= { error };
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(count, limit) }, worker));
	if (failure !== undefined) throw failure.error;
}
