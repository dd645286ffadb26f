import { sleep } from 'n8n-workflow';

/** Where time comes from. All times are milliseconds since 1970. */
export interface Clock {
	now(): number;
	/** Resolves after `ms`, or as soon as one of the signals is aborted; never rejects. */
	sleep(ms: number, ...endedBy: Array<AbortSignal | undefined>): Promise<void>;
	/** Is aborted after `ms`. Costs less than a sleep that is ended, and needs no ending. */
	timeout(ms: number): AbortSignal;
}

// A timer cannot be set for longer than 24 days.
const LONGEST_TIMER_MS = 24 * 60 * 60_000;

/**
 * The machine's time, `scale` times as fast (tests and benchmarks live through an hour in a minute).
 * A correction of the machine's clock does not move it. `passedMs` tells how much real time has
 * passed, and is the machine's own word for it unless a test knows better.
 */
export function createClock(scale = 1, passedMs = () => performance.now()): Clock {
	const now = () => performance.timeOrigin + passedMs() * scale;

	return {
		now,
		async sleep(ms, ...endedBy) {
			const signals = endedBy.filter((signal) => signal !== undefined);
			const end = now() + ms;
			for (let left = ms; left > 0 && !isEnded(signals); left = end - now()) {
				await pause(Math.min(Math.ceil(left / scale), LONGEST_TIMER_MS), signals);
			}
		},
		timeout: (ms) => AbortSignal.timeout(Math.ceil(ms / scale)),
	};
}

function isEnded(signals: AbortSignal[]): boolean {
	return signals.some(({ aborted }) => aborted);
}

async function pause(ms: number, signals: AbortSignal[]): Promise<void> {
	const over = new AbortController();
	const end = () => over.abort();
	for (const signal of signals) signal.addEventListener('abort', end);
	await new Promise<void>((resolve) => {
		over.signal.addEventListener('abort', () => resolve(), { once: true });
		// Older versions of n8n do not look at the signal: then the timer runs on, and nobody waits.
		sleep(ms, over.signal).then(resolve, resolve);
	});
	for (const signal of signals) signal.removeEventListener('abort', end);
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
