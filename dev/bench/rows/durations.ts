/** Durations between two bounds, evenly spread and shuffled in the same way each time. */
export function mixedDurations(count: number, from: number, to: number): number[] {
	return Array.from(
		{ length: count },
		(_, index) => from + ((to - from) * ((index * 37) % count)) / (count - 1),
	);
}
