import { sleep } from 'n8n-workflow';

import { untilAborted } from './abortSignals';

/** The source of time. All times are in ms. */
export interface Clock {
	/**
	 * Returns the time since the epoch. It is monotonic within this process: setting the system
	 * clock does not move deadlines.
	 */
	now(): number;
	/**
	 * Returns the time since the epoch by the system's clock, which other processes share. It jumps
	 * when that clock is set. Unlike `now`, it includes the time during which the machine is asleep.
	 */
	wallTime(): number;
	/** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** Returns a signal that is aborted after `ms`. It doesn't keep the process alive. */
	timeout(ms: number): AbortSignal;
}

// Node.js can't set a timer for 25 days or more.
const MAX_TIMER_MS = 24 * 24 * 60 * 60_000;

/** Creates a clock that starts with the machine's time and is monotonic from then on. */
export function createClock(): Clock {
	const startedAt = Date.now() - performance.now();
	const now = () => startedAt + performance.now();

	return {
		now,
		wallTime: () => Date.now(),
		timeout: (ms) => AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(ms)), MAX_TIMER_MS)),
		async sleep(ms, signal) {
			const end = now() + ms;
			for (let left = ms; left > 0 && signal?.aborted !== true; left = end - now()) {
				await delay(Math.min(Math.ceil(left), MAX_TIMER_MS), signal);
			}
		},
	};
}

// Uses n8n's `sleep`, because `setTimeout` is not allowed on n8n Cloud. Older versions of it ignore
// the signal: there the timer simply keeps running.
async function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
	if (signal === undefined) return await sleep(ms);
	const timer = sleep(ms, AbortSignal.any([signal])).catch(() => {});
	await untilAborted(timer, signal);
}
