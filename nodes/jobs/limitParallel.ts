/**
 * Does `work` for the numbers from 0 to `count - 1`, at most `limit` at once, begun in order.
 * After one has rejected no more are begun; rejects with the first rejection once all that were
 * begun have ended.
 */
export async function limitParallel(
	count: number,
	limit: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	let first: { error: unknown } | undefined;

	const worker = async () => {
		while (next < count && first === undefined) {
			try {
				await work(next++);
			} catch (error) {
				first ??= { error };
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, count) }, worker));
	if (first !== undefined) throw first.error;
}
