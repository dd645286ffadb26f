import { createClock, type Clock } from '../../nodes/async/clock';

const LONGEST_TURN_MS = 10;
const TICK_MS = 4;

let passedMs = performance.now();
let lastSeen = passedMs;
let ticking: NodeJS.Timeout | undefined;

beforeAll(() => (ticking = setInterval(steadyTime, TICK_MS).unref()));
afterAll(() => clearInterval(ticking));

/**
 * Real time in ms, as `performance.now()`, that stands still while the machine does not let this
 * process run: at most 10 ms go by in one turn of the event loop. Where time is scaled, a pause of
 * the machine would otherwise last for minutes, and everything would be too late after it.
 */
export function steadyTime(): number {
	const now = performance.now();
	passedMs += Math.min(now - lastSeen, LONGEST_TURN_MS);
	lastSeen = now;
	return passedMs;
}

/** A clock that is `scale` times as fast as steady time. */
export function steadyClock(scale: number): Clock {
	const clock = createClock(scale, steadyTime);
	return {
		...clock,
		// Not a sleep: like `AbortSignal.timeout`, it must not keep the process from ending.
		timeout(ms) {
			const over = new AbortController();
			const end = clock.now() + ms;
			const wait = () => {
				const leftMs = end - clock.now();
				if (leftMs > 0) setTimeout(wait, Math.ceil(leftMs / scale)).unref();
				else over.abort(new DOMException('The time is over', 'TimeoutError'));
			};
			wait();
			return over.signal;
		},
	};
}
