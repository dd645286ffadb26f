import { sleep } from 'n8n-workflow';

import { untilAborted } from './abortSignals';

/** The source of time. All times are in ms. */
export interface Clock {
	/**
	 * Returns the time since the epoch, by the machine's clock: for what users read, and what is
	 * stored. Other processes have the same time. It jumps when the machine's clock is set.
	 */
	now(): number;
	/**
	 * Returns a measured time, which only this process can compare with others: for what a process
	 * keeps for itself, such as the ends of its waits. It never jumps.
	 */
	elapsed(): number;
	/** Resolves after `ms` of measured time, or as soon as the signal is aborted. Never rejects. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
	/** Returns a signal that is aborted after `ms`. It doesn't keep the process alive. */
	timeout(ms: number): AbortSignal;
}

// Node.js can't set a timer for 25 days or more.
const MAX_TIMER_MS = 24 * 24 * 60 * 60_000;

/** Creates the clock of this process. */
export function createClock(): Clock {
	const elapsed = () => performance.now();

	return {
		now: () => Date.now(),
		elapsed,
		timeout: (ms) => AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(ms)), MAX_TIMER_MS)),
		async sleep(ms, signal) {
			const end = elapsed() + ms;
			for (let left = ms; left > 0 && signal?.aborted !== true; left = end - elapsed()) {
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
