import type { Clock } from '../async/clock';
import type { JobState } from './jobStateMachine';
import { LedgerEntry, type EntryRecord } from './LedgerEntry';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
// n8n waits for five seconds at most before it runs a failed node again.
const KEPT_FOR_RETRY_MS = 30_000;
const KEPT_FOR_CALLER_MS = 24 * HOUR_MS;
const KEPT_FOR_CALLER_WITHOUT_EXECUTION_MS = HOUR_MS;
// MCP clients give up after a minute. n8n doesn't say so: the answer reaches nobody, and the client
// calls again.
const LONG_ANSWER_MS = MINUTE_MS;
const KEPT_ANSWER_MS = 5 * MINUTE_MS;

/** What the ledger needs to know about a run of the node. */
export interface LedgerRun {
	/**
	 * What the keys of the run's entries begin with. It is the same for a run and its retries, and
	 * for all calls of a tool by one execution, or by none.
	 */
	scope: string;
	/**
	 * Whether equal calls share a job: they do in tools, and where n8n gives no execution ID, e.g. in
	 * calls over MCP.
	 */
	sharesCalls: boolean;
	/** Whether n8n gives an execution ID. */
	hasExecution: boolean;
	hasRetryOnFail: boolean;
}

/** An entry, and how long it is kept. */
interface Slot {
	readonly entry: LedgerEntry;
	/** How many runs work with the entry now. */
	users: number;
	/** How many runs have worked with it so far. */
	runs: number;
	/** Until when it is kept for the retry of a failed run: a timestamp in ms. */
	retryUntil: number;
	/** Until when it is kept for an equal call: a timestamp in ms. */
	callUntil: number;
	/** Whether the last call to end was given the job's end. */
	isEndGiven: boolean;
}

/** For how long a run wants an entry to be kept, in ms. */
interface Keeping {
	forRetryMs: number;
	/** If unset, the time for equal calls stays as it was. */
	forCall?: { ms: number; isEndGiven: boolean };
}

/**
 * The memory of all jobs in this process, so that none is started twice. A start is recorded in an
 * entry before it is sent.
 *
 * A call of the node for an item **starts a job** if there is no entry with its key, or if the
 * entry's state is `none`: nothing was sent, or certainly nothing was done. Otherwise it continues
 * with the entry's job, or refuses if it is unclear whether there is one. (Within such a call, 'Max
 * Attempts' may start another job after one that has failed: runAttempts.ts.)
 *
 * The key says which calls are the same: a run and its retries by Retry On Fail or, if
 * `LedgerRun.sharesCalls`, all calls by one execution (or by none) with equal parameters.
 *
 * An entry lives as long as a run works with it, and after that
 * - 30 seconds if the run failed and Retry On Fail is on,
 * - a day (without an execution: an hour) if calls are shared, and the last of them has not been
 *   given the job's end or, if it doesn't wait, the started job: the next equal call continues,
 * - five minutes if there is no execution and a successful answer took more than a minute: its
 *   caller has probably given up, and repeats the call,
 * - otherwise not at all.
 *
 * What is kept is small: an entry without a run has no output and no error of a request.
 */
export class JobLedger {
	private readonly slots = new Map<string, Slot>();

	constructor(private readonly clock: Clock) {}

	/** Opens the ledger for a run of the node. */
	openRun(run: LedgerRun): RunLedger {
		this.forgetExpired();
		return new RunLedger(this, run, this.clock);
	}

	/** How many entries there are. */
	get size(): number {
		this.forgetExpired();
		return this.slots.size;
	}

	/** Returns the entry with this key for a run, or a new one that begins with `known`. */
	open(key: string, known?: EntryRecord): Slot {
		let slot = this.slots.get(key);
		if (slot === undefined || this.isExpired(slot)) {
			slot = {
				entry: new LedgerEntry(this.clock, known),
				users: 0,
				runs: 0,
				retryUntil: 0,
				callUntil: 0,
				isEndGiven: false,
			};
			this.slots.set(key, slot);
		}
		slot.users++;
		slot.runs++;
		return slot;
	}

	/** Records that a run no longer works with an entry. */
	close(key: string, slot: Slot, { forRetryMs, forCall }: Keeping): void {
		const now = this.clock.now();
		slot.users--;
		// Several equal calls may be due for a retry.
		slot.retryUntil = Math.max(slot.retryUntil, now + forRetryMs);
		if (forCall !== undefined) {
			const until = now + forCall.ms;
			// A quick answer to an equal call doesn't shorten the time after a long one.
			const areBothGiven = slot.isEndGiven && forCall.isEndGiven;
			slot.callUntil = areBothGiven ? Math.max(slot.callUntil, until) : until;
			slot.isEndGiven = forCall.isEndGiven;
		}
		if (slot.users > 0) return;
		slot.entry.release();
		if (this.isExpired(slot)) this.slots.delete(key);
	}

	private forgetExpired(): void {
		for (const [key, slot] of this.slots) {
			if (this.isExpired(slot)) this.slots.delete(key);
		}
	}

	private isExpired(slot: Slot): boolean {
		return slot.users === 0 && endOf(slot) <= this.clock.now();
	}
}

/** The entries of one run of the node, by item. */
export class RunLedger {
	private readonly own = new Map<string, Slot>();

	/** The keys of the entries whose start was unclear when the run began. */
	private readonly unclearBefore = new Set<string>();

	private readonly startedAt: number;

	constructor(
		private readonly ledger: JobLedger,
		private readonly run: LedgerRun,
		private readonly clock: Clock,
	) {
		this.startedAt = clock.now();
	}

	/**
	 * Returns the entry of an item, as an earlier run or an equal call left it, or a new one that
	 * begins with `known`. `itemKey` tells the items of the run apart.
	 */
	openEntry(itemKey: string, known?: EntryRecord): LedgerEntry {
		const key = `${this.run.scope} ${itemKey}`;
		const opened = this.own.get(key);
		if (opened !== undefined) return opened.entry;

		const slot = this.ledger.open(key, known);
		if (slot.entry.latestAttempt.state === 'startUnclear') this.unclearBefore.add(key);
		this.own.set(key, slot);
		return slot.entry;
	}

	/**
	 * Until when equal calls find this entry of the run: a timestamp in ms. Undefined until a run
	 * that works with it has ended.
	 */
	keptUntil(entry: LedgerEntry): number | undefined {
		const slot = [...this.own.values()].find((one) => one.entry === entry);
		const until = slot === undefined ? 0 : endOf(slot);
		return until === 0 ? undefined : until;
	}

	/** All entries of this run, including those of later attempts. */
	get entries(): LedgerEntry[] {
		return [...this.own.values()].flatMap(({ entry }) => entry.attempts);
	}

	/** Returns this run's entries that are in any of these states. */
	inState(...states: JobState[]): LedgerEntry[] {
		return this.entries.filter(({ state }) => states.includes(state));
	}

	/** How many runs have worked with the run's entries so far: this one, and those it retries. */
	get runCount(): number {
		return Math.max(1, ...[...this.own.values()].map(({ runs }) => runs));
	}

	/**
	 * Ends the run's work with its entries. Call it exactly once, when the run is over. `hasFailed`:
	 * whether an item failed; then Retry On Fail runs the node again, with Continue On Fail, too.
	 */
	close(hasFailed: boolean): void {
		for (const [key, slot] of this.own) {
			this.ledger.close(key, slot, this.keepingOf(key, slot, hasFailed));
		}
	}

	private keepingOf(key: string, { entry }: Slot, hasFailed: boolean): Keeping {
		const { sharesCalls, hasRetryOnFail, hasExecution } = this.run;
		// A start that was certainly not carried out leaves nothing for another call.
		if (sharesCalls && entry.state === 'none') return { forRetryMs: 0 };
		const forRetryMs = hasFailed && hasRetryOnFail ? KEPT_FOR_RETRY_MS : 0;
		if (!sharesCalls) return { forRetryMs };
		// A refused call doesn't prolong the refusal, whose end the error of an earlier one has named.
		if (this.unclearBefore.has(key)) return { forRetryMs };

		const latest = entry.latestAttempt;
		// A run that fails for another reason than its job's end, e.g. a download, returns nothing.
		const isReturned = !hasFailed || latest.known.error !== undefined;
		if (latest.isEndGiven && isReturned) {
			const isLong = this.clock.now() - this.startedAt > LONG_ANSWER_MS;
			const ms = isLong && !hasExecution && latest.isAnswered ? KEPT_ANSWER_MS : 0;
			return { forRetryMs, forCall: { ms, isEndGiven: true } };
		}
		const ms = hasExecution ? KEPT_FOR_CALLER_MS : KEPT_FOR_CALLER_WITHOUT_EXECUTION_MS;
		return { forRetryMs, forCall: { ms, isEndGiven: false } };
	}
}

/** Until when an entry without a run is kept: a timestamp in ms. */
function endOf({ retryUntil, callUntil }: Slot): number {
	return Math.max(retryUntil, callUntil);
}
