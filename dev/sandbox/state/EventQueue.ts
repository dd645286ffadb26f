/** An event that is still to come. */
export interface ScheduledEvent {
	cancel(): void;
}

interface Entry {
	at: number;
	/** `undefined` once the event is canceled. */
	run: ((at: number) => void) | undefined;
}

/** Pending events in order of time. There are no timers: `runUntil` runs what is due by then. */
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

	runUntil(now: number): void {
		for (let next = this.entries.at(-1); next && next.at <= now; next = this.entries.at(-1)) {
			this.entries.pop();
			next.run?.(next.at);
		}
	}
}
