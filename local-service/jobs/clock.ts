/** The source of time for jobs. Times are in ms. */
export interface Clock {
	/** The time since 1970. */
	now(): number;
	/** Calls `run` once after `ms`, unless the returned function is called before. */
	after(ms: number, run: () => void): () => void;
}

/** Creates the clock of this process. Its timers don't keep the process alive. */
export function createClock(): Clock {
	return {
		now: () => Date.now(),
		after(ms, run) {
			const timer = setTimeout(run, ms);
			timer.unref();
			return () => clearTimeout(timer);
		},
	};
}
