/**
 * Runs `task` for each entry, at most `limit` at a time, and returns the results in the same order. After a
 * rejection no more are started; it rejects once all running tasks have settled.
 */
export async function limitConcurrency<T, R>(
	entries: readonly T[],
	limit: number,
	task: (entry: T, index: number) => Promise<R>,
): Promise<R[]> {
	const results: R[] = [];
	const left = entries.entries();
	let failure: { error: unknown } | undefined;

	const worker = async () => {
		// All workers take from the same iterator.
		for (const [index, entry] of left) {
			try {
				results[index] = await task(entry, index);
			} catch (error) {
				failure ??= { error };
			}
			if (failure !== undefined) return;
		}
	};
	await Promise.all(Array.from({ length: Math.min(entries.length, limit) }, worker));
	if (failure !== undefined) throw failure.error;
	return results;
}
