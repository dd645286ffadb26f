import { sleep } from 'n8n-workflow';

/** Where time comes from. All times are milliseconds since 1970. */
export interface Clock {
	now(): number;
	/** Resolves after `ms`, or within half a second after `signal` is aborted; never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const SLICE_MS = 500;

/**
 * The machine's time, `scale` times as fast (tests and benchmarks live through an hour in a minute).
 * A correction of the machine's clock does not move it.
 */
export function createClock(scale = 1): Clock {
	const now = () => performance.timeOrigin + performance.now() * scale;

	return {
		now,
		// In slices, since n8n's `sleep` does not end early in every version of n8n.
		async sleep(ms, signal) {
			const end = now() + ms;
			for (let left = ms; left > 0 && !signal?.aborted; left = end - now()) {
				await sleep(Math.min(Math.ceil(left / scale), SLICE_MS));
			}
		},
	};
}

let clock = createClock();

/** The clock of this process. */
export function currentClock(): Clock {
	return clock;
}

/** Puts another clock in its place, for tests and benchmarks; without one, the machine's again. */
export function setClock(other: Clock = createClock()): void {
	clock = other;
}
