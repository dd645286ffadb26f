import type { Clock } from '../../nodes/async/clock';

/** A clock that does not wait: when everybody sleeps, it jumps to the next moment at which somebody wakes or a timeout ends. */
export interface FakeClock extends Clock {
	/** What was slept so far, in ms, in the order in which it was asked for. */
	readonly slept: number[];
	/** Lets this much time pass, with all that is due in it. */
	advance(ms: number): Promise<void>;
}

interface Sleeper {
	wakesAt: number;
	wake: () => void;
}

/** The clock begins at `startMs`. Work that is not asleep takes no time at all. */
export function fakeClock(startMs = 1_000_000): FakeClock {
	const slept: number[] = [];
	let now = startMs;
	let sleepers: Sleeper[] = [];
	let timeouts: Array<{ at: number; over: AbortController }> = [];
	let isJumping = false;

	// After everything else that is ready to run.
	const jump = () => {
		const next = sleepers.reduce<Sleeper | undefined>(
			(first, other) => (first === undefined || other.wakesAt < first.wakesAt ? other : first),
			undefined,
		);
		isJumping = next !== undefined;
		if (next === undefined) return;
		const firstTimeout = Math.min(...timeouts.map(({ at }) => at));
		now = Math.max(now, Math.min(next.wakesAt, firstTimeout));
		endTimeouts();
		if (next.wakesAt <= now) next.wake();
		setImmediate(jump);
	};

	const endTimeouts = () => {
		const due = timeouts.filter(({ at }) => at <= now);
		if (due.length === 0) return;
		timeouts = timeouts.filter(({ at }) => at > now);
		for (const { over } of due) over.abort();
	};

	const sleep: FakeClock['sleep'] = async (ms, signal) => {
		if (signal?.aborted === true) return;
		await new Promise<void>((resolve) => {
			const sleeper: Sleeper = {
				wakesAt: now + Math.max(0, ms),
				wake: () => {
					sleepers = sleepers.filter((other) => other !== sleeper);
					signal?.removeEventListener('abort', sleeper.wake);
					resolve();
				},
			};
			sleepers.push(sleeper);
			signal?.addEventListener('abort', sleeper.wake);
			if (isJumping) return;
			isJumping = true;
			setImmediate(jump);
		});
	};

	return {
		slept,
		now: () => now,
		date: () => now,
		sleep: async (ms, signal) => {
			slept.push(ms);
			await sleep(ms, signal);
		},
		timeout: (ms) => {
			const over = new AbortController();
			timeouts.push({ at: now + ms, over });
			return over.signal;
		},
		advance: async (ms) => await sleep(ms),
	};
}
