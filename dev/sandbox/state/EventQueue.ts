export interface ScheduledEvent {
	/** Does nothing once the event has run. */
	cancel(): void;
}

interface Entry {
	at: number;
	/** `undefined` once the event is cancelled. */
	run: ((at: number) => void) | undefined;
}

/**
 * Pending events in order of time; events of the same time run in the order they were scheduled.
 * The queue sets no timers: `runUntil` runs whatever is due, so the clock can jump ahead.
 */
export class EventQueue {
	/** Latest first, so that the next event is the last element. */
	private readonly entries: Entry[] = [];

	/** Calls `run` with `at`, its due time, which may have passed by the time it runs. */
	schedule(at: number, run: (at: number) => void): ScheduledEvent {
		const entry: Entry = { at, run };
		const later = this.entries.findLastIndex((other) => other.at > at);
		this.entries.splice(later + 1, 0, entry);
		return { cancel: () => (entry.run = undefined) };
	}

	/** Runs every event that is due, including those that the events themselves schedule. */
	runUntil(now: number): void {
		for (let next = this.entries.at(-1); next && next.at <= now; next = this.entries.at(-1)) {
			this.entries.pop();
			next.run?.(next.at);
		}
	}
}
