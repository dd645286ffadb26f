import type { Clock } from '../async/clock';
import type { JobState } from './jobStates';
import { LedgerEntry, type EntryFacts } from './LedgerEntry';

/** What a run of the node leaves to its retries. */
export class LedgerStore {
	/** How often n8n has run the node, retries included. */
	runs = 0;

	readonly entries = new Map<string, LedgerEntry>();
}

/**
 * The jobs of one node run, by item: what may start a job is entered before it is sent. The retries of Retry
 * On Fail continue from it instead of starting, and paying for, second jobs.
 */
export class JobLedger {
	// All calls of an agent's tool share a store, and others may be in progress.
	private readonly own = new Map<string, LedgerEntry>();

	constructor(
		readonly store: LedgerStore,
		private readonly clock: Clock,
		private readonly run: AbortSignal,
	) {
		store.runs++;
	}

	/** The entry of an item, as an earlier run has left it; a new one begins with `facts`. */
	entry(key: string, facts?: EntryFacts): LedgerEntry {
		const entry = this.store.entries.get(key) ?? new LedgerEntry(this.clock, facts);
		this.store.entries.set(key, entry);
		this.own.set(key, entry);
		entry.join(this.run);
		return entry;
	}

	/** All entries of this run, with those of further attempts. */
	get entries(): LedgerEntry[] {
		return [...this.own.values()].flatMap(({ attempts }) => attempts);
	}

	inState(...states: JobState[]): LedgerEntry[] {
		return this.entries.filter(({ state }) => states.includes(state));
	}

	/** Call it when this run no longer works with its entries. */
	release(): void {
		for (const entry of this.own.values()) entry.leave(this.run);
	}

	/** Forgets this run, whose results are out. After the last of equal tool calls, the next one starts a new job. */
	clear(): void {
		for (const [key, entry] of this.own) if (entry.close()) this.store.entries.delete(key);
	}
}
