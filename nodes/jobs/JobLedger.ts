import type { Clock } from '../async/clock';
import type { JobState } from './jobStateMachine';
import { LedgerEntry, type EntryRecord } from './LedgerEntry';

/** State shared by a run and its retries or, for a tool, by all its calls in one execution. */
export class LedgerStore {
	/** How many times n8n has run the node with this store, retries included. */
	tryCount = 0;

	/** By item: the key is the same in a retry, and in an identical tool call. */
	readonly entries = new Map<string, LedgerEntry>();

	/**
	 * By entry key: how many failed runs that used the entry are still to be retried. For a tool
	 * there can be several: n8n retries each identical call separately.
	 */
	readonly retriesDue = new Map<string, number>();
}

/**
 * The jobs of one run of the node, by item. A start is recorded before it is sent, so that a retry
 * by Retry On Fail continues with the job instead of starting, and paying for, a second one.
 */
export class JobLedger {
	// The entries of this run only: all calls of a tool share a store, and others may be in progress.
	private readonly own = new Map<string, LedgerEntry>();

	/** Counts the run in `store.tryCount`. */
	constructor(
		readonly store: LedgerStore,
		private readonly clock: Clock,
	) {
		store.tryCount++;
	}

	/**
	 * Returns an item's entry as an earlier run left it, or a new one that begins with `known`. With
	 * the run's first call for a key, one retry that was due for it counts as done.
	 */
	openEntry(key: string, known?: EntryRecord): LedgerEntry {
		const { entries } = this.store;
		const entry = entries.get(key) ?? new LedgerEntry(this.clock, known);
		entries.set(key, entry);
		if (!this.own.has(key)) this.countRetriesDue(key, -1);
		this.own.set(key, entry);
		return entry;
	}

	/** All entries of this run, including those of later attempts. */
	get entries(): LedgerEntry[] {
		return [...this.own.values()].flatMap(({ attempts }) => attempts);
	}

	/** Returns this run's entries that are in any of these states. */
	inState(...states: JobState[]): LedgerEntry[] {
		return this.entries.filter(({ state }) => states.includes(state));
	}

	/** Keeps this run's entries for its retry. Call it exactly once, if an item failed. */
	keepForRetry(): void {
		for (const key of this.own.keys()) this.countRetriesDue(key, 1);
	}

	/**
	 * Removes this run's entries from the store. Call it when the output is complete: the next
	 * identical tool call then starts a new job. An entry is kept if a failed identical call is still
	 * to be retried, or if its item waits for the job's end and hasn't seen it yet: the next
	 * identical call continues with that job.
	 */
	forgetCompleted(): void {
		const { entries, retriesDue } = this.store;
		for (const [key, entry] of this.own) {
			if (entry.isAwaited || retriesDue.has(key)) continue;
			if (entries.get(key) === entry) entries.delete(key);
		}
	}

	private countRetriesDue(key: string, change: 1 | -1): void {
		const { retriesDue } = this.store;
		const due = (retriesDue.get(key) ?? 0) + change;
		if (due > 0) retriesDue.set(key, due);
		else retriesDue.delete(key);
	}
}
