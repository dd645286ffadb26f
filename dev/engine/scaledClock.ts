import { createClock, type Clock } from '../../nodes/async/clock';

/** A clock that runs `scale` times as fast as `real`: for tests and benchmarks, an hour takes a minute. */
export function scaledClock(scale: number, real: Clock = createClock()): Clock {
	const began = { now: real.now(), date: real.date() };
	return {
		now: () => began.now + (real.now() - began.now) * scale,
		date: () => began.date + (real.now() - began.now) * scale,
		sleep: async (ms, signal) => await real.sleep(ms / scale, signal),
		timeout: (ms) => real.timeout(ms / scale),
	};
}
