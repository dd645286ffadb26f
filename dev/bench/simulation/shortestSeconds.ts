/** What keeps jobs from starting. */
interface Bounds {
	startsPerWindow: number;
	windowSeconds: number;
	maxParallel: number;
}

/**
 * The shortest time, in s, for jobs of these durations, begun in their order as soon as the bounds
 * allow each of them, if every end is known at once.
 */
export function shortestSeconds(
	durations: number[],
	{ startsPerWindow, windowSeconds, maxParallel }: Bounds,
): number {
	const starts: number[] = [];
	const ends: number[] = [];
	for (const duration of durations) {
		const index = starts.length;
		const byRate = (starts[index - startsPerWindow] ?? -Infinity) + windowSeconds;
		const bySlot = [...ends].sort((one, other) => other - one)[maxParallel - 1] ?? 0;
		const start = Math.max(starts[index - 1] ?? 0, byRate, bySlot);
		starts.push(start);
		ends.push(start + duration);
	}
	return Math.max(...ends);
}
