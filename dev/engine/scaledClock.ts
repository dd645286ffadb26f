import { createClock, type Clock } from '../../nodes/async/clock';

/** A clock that runs `scale` times as fast as `real`: for tests and benchmarks, an hour takes a minute. */
export function scaledClock(scale: number, real: Clock = createClock()): Clock {
	const began = real.now();
	return {
		now: () => began + (real.now() - began) * scale,
		sleep: async (ms, signal) => await real.sleep(ms / scale, signal),
		timeout: (ms) => real.timeout(ms / scale),
	};
}
