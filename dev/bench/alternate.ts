/**
 * Measures each way `runs` times, in turn, so that what slows the machine down for a while does it to
 * all of them; every round begins with another one.
 */
export async function alternate<Way extends string, Result>(
	ways: readonly Way[],
	runs: number,
	measure: (way: Way) => Promise<Result>,
): Promise<Record<Way, Result[]>> {
	const results = Object.fromEntries(ways.map((way) => [way, []])) as unknown as Record<
		Way,
		Result[]
	>;
	for (let run = 0; run < runs; run++) {
		for (let turn = 0; turn < ways.length; turn++) {
			const way = ways[(turn + run) % ways.length];
			if (way !== undefined) results[way].push(await measure(way));
		}
	}
	return results;
}
