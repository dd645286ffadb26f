import type { Clock } from './clock';

/** Does `work` with a signal that is aborted when it takes longer than `limitMs`. */
export async function withTimeLimit<T>(
	clock: Clock,
	limitMs: number,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const tooLate = new AbortController();
	const done = new AbortController();
	void clock.sleep(limitMs, done.signal).then(() => tooLate.abort());
	try {
		return await work(tooLate.signal);
	} finally {
		done.abort();
	}
}
