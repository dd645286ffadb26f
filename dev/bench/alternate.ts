/** Measures the ways in turn, each round from another one on, so that a slow machine is slow for all. */
export async function alternate<Way extends string, Result>(
	ways: readonly Way[],
	runs: number,
	measure: (way: Way) => Promise<Result>,
): Promise<Record<Way, Result[]>> {
	const empty = ways.map((way): [string, Result[]] => [way, []]);
	const results = Object.fromEntries(empty) as Record<Way, Result[]>;
	for (let run = 0; run < runs; run++) {
		for (let turn = 0; turn < ways.length; turn++) {
			const way = ways[(turn + run) % ways.length];
			if (way !== undefined) results[way].push(await measure(way));
		}
	}
	return results;
}
