import type { Clock } from '../async/clock';
import type { JobState } from './jobStates';
import { LedgerEntry, type EntryRecord } from './LedgerEntry';

/** What one run of the node leaves for its retries, and a call of a tool for equal calls. */
export class LedgerStore {
	/** How often n8n has run the node, retries included. */
	tryCount = 0;

	readonly entries = new Map<string, LedgerEntry>();
}

/**
 * The jobs of one run of the node, by item: a start is entered before it is sent. The retries of
 * Retry On Fail continue from it instead of starting, and paying for, second jobs.
 */
export class JobLedger {
	// All calls of an agent's tool share a store, and others may be in progress.
	private readonly own = new Map<string, LedgerEntry>();

	constructor(
		readonly store: LedgerStore,
		private readonly clock: Clock,
	) {
		store.tryCount++;
	}

	/** The entry of an item, as an earlier run has left it; a new one begins with `known`. */
	entry(key: string, known?: EntryRecord): LedgerEntry {
		const entry = this.store.entries.get(key) ?? new LedgerEntry(this.clock, known);
		this.store.entries.set(key, entry);
		this.own.set(key, entry);
		return entry;
	}

	/** All entries of this run, with those of further attempts. */
	get entries(): LedgerEntry[] {
		return [...this.own.values()].flatMap(({ attempts }) => attempts);
	}

	/** Those of them that are in one of these states. */
	inState(...states: JobState[]): LedgerEntry[] {
		return this.entries.filter(({ state }) => states.includes(state));
	}

	/**
	 * Forgets the entries of this run, once its output is complete: the next equal call of a tool
	 * starts a new job. An entry stays if the item waited for its job's end and did not get it: that
	 * call continues with the job.
	 */
	forgetAnswered(): void {
		const { entries } = this.store;
		for (const [key, entry] of this.own) {
			if (!entry.isAwaited && entries.get(key) === entry) entries.delete(key);
		}
	}
}
