/**
 * Does `work` for the numbers from 0 to `count - 1`, at most `limit` at once, begun in order.
 * After one has rejected no more are begun; rejects with the first rejection once all that were
 * begun have ended.
 */
export async function limitConcurrency(
	count: number,
	limit: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	let underWay = 0;
	let first: { error: unknown } | undefined;

	// Without an async function for each that is under way: a thousand may be, and for hours.
	await new Promise<void>((resolve) => {
		const beginNext = () => {
			while (next < count && underWay < limit && first === undefined) {
				underWay++;
				work(next++).then(end, fail);
			}
			if (underWay === 0) resolve();
		};
		const end = () => {
			underWay--;
			beginNext();
		};
		const fail = (error: unknown) => {
			first ??= { error };
			end();
		};
		beginNext();
	});
	if (first !== undefined) throw first.error;
}
