/** Entries that are started in order, at most `limit` of them at a time. */
export interface Lane<T> {
	entries: readonly T[];
	limit: number;
}

/**
 * Runs `task` for each entry, at most `limit` at a time, and returns the results in the order of
 * the entries. After a rejection it starts no more tasks, and rejects with the first error once all
 * running tasks have settled.
 */
export async function limitConcurrency<T, R>(
	entries: readonly T[],
	limit: number,
	task: (entry: T, index: number) => Promise<R>,
): Promise<R[]> {
	const results: R[] = [];
	await runLanes([{ entries: [...entries.entries()], limit }], async ([index, entry]) => {
		results[index] = await task(entry, index);
	});
	return results;
}

/**
 * Runs `task` for each entry of several lanes side by side. After a rejection no lane starts
 * another task, and `runLanes` rejects with the first error once all running tasks have settled.
 */
export async function runLanes<T>(
	lanes: Array<Lane<T>>,
	task: (entry: T) => Promise<void>,
): Promise<void> {
	let failure: { error: unknown } | undefined;

	const workers = lanes.flatMap(({ entries, limit }) => {
		// All workers of a lane take from the same iterator.
		const left = entries.values();
		const worker = async () => {
			for (const entry of left) {
				try {
					await task(entry);
				} catch (error) {
					failure ??= { error };
				}
				if (failure !== undefined) return;
			}
		};
		return Array.from({ length: Math.min(entries.length, limit) }, worker);
	});

	await Promise.all(workers);
	if (failure !== undefined) throw (failure as { error: unknown }).error;
}
