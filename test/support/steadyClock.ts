import { scaledClock } from '../../dev/engine/scaledClock';
import type { Clock } from '../../nodes/async/clock';

const LONGEST_TURN_MS = 10;
const TICK_MS = 4;
const MAX_TIMER_MS = 2 ** 30;

let passedMs = performance.now();
let lastSeen = passedMs;
let ticking: NodeJS.Timeout | undefined;

beforeAll(() => (ticking = setInterval(steadyTime, TICK_MS).unref()));
afterAll(() => clearInterval(ticking));

/**
 * Real time in ms, like `performance.now()`, that stands still while the machine does not let this
 * process run: at most 10 ms pass in one turn of the event loop. Where time is scaled, a pause of the
 * machine would otherwise last for minutes, and everything would be too late after it.
 */
export function steadyTime(): number {
	const now = performance.now();
	passedMs += Math.min(now - lastSeen, LONGEST_TURN_MS);
	lastSeen = now;
	return passedMs;
}

/** A clock that is `scale` times as fast as steady time. */
export function steadyClock(scale: number): Clock {
	return scaledClock(scale, { now: steadyDate, date: steadyDate, sleep, timeout });
}

function steadyDate(): number {
	return performance.timeOrigin + steadyTime();
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	if (ms <= 0 || signal?.aborted === true) return;
	const own = AbortSignal.any(signal === undefined ? [] : [signal]);
	await new Promise<void>((resolve) => {
		let stop = () => {};
		const end = () => {
			own.removeEventListener('abort', end);
			stop();
			resolve();
		};
		own.addEventListener('abort', end);
		stop = startTimer(ms, end);
	});
}

// Unlike a sleep, a time-out must not keep the process from ending.
function timeout(ms: number): AbortSignal {
	const over = new AbortController();
	const isOver = () => over.abort(new DOMException('The time is over', 'TimeoutError'));
	startTimer(ms, isOver, (timer) => timer.unref());
	return over.signal;
}

function startTimer(
	ms: number,
	onEnd: () => void,
	onSet: (timer: NodeJS.Timeout) => void = () => {},
): () => void {
	const end = steadyDate() + ms;
	let timer: NodeJS.Timeout | undefined;
	const wait = () => {
		const leftMs = Math.ceil(Math.min(end - steadyDate(), MAX_TIMER_MS));
		if (leftMs <= 0) return onEnd();
		timer = setTimeout(wait, leftMs);
		onSet(timer);
	};
	wait();
	return () => clearTimeout(timer);
}
