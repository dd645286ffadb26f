import type { Clock } from '../async/clock';
import type { JobState } from './jobStates';
import { LedgerEntry, type EntryRecord } from './LedgerEntry';

/** What a run of the node and its retries share, or all calls of a tool in one execution. */
export class LedgerStore {
	/** How often n8n has run the node with this store, retries included. */
	tryCount = 0;

	/** By item: the key is the same in a retry, and in an equal call of a tool. */
	readonly entries = new Map<string, LedgerEntry>();
}

/**
 * The jobs of one run of the node, by item. A start is recorded before it is sent, so that a retry
 * by Retry On Fail continues with the job instead of starting, and paying for, a second one.
 */
export class JobLedger {
	// The entries of this run: all calls of an agent's tool share a store, and others may be in
	// progress.
	private readonly own = new Map<string, LedgerEntry>();

	/** Counts the run in `store.tryCount`. */
	constructor(
		readonly store: LedgerStore,
		private readonly clock: Clock,
	) {
		store.tryCount++;
	}

	/**
	 * Returns an item's entry as an earlier run has left it, or a new one that begins with `known`.
	 */
	entry(key: string, known?: EntryRecord): LedgerEntry {
		const entry = this.store.entries.get(key) ?? new LedgerEntry(this.clock, known);
		this.store.entries.set(key, entry);
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

	/**
	 * Removes this run's entries from the store. Call it once the output is complete: the next equal
	 * call of a tool then starts a new job. An entry stays if its item waits for the job's end and
	 * has not got it: the next equal call continues with that job.
	 */
	forgetAnswered(): void {
		const { entries } = this.store;
		for (const [key, entry] of this.own) {
			if (!entry.isAwaited && entries.get(key) === entry) entries.delete(key);
		}
	}
}
