import type { Clock } from '../async/clock';
import { type JobRecord, TrackedJob } from './TrackedJob';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
// n8n waits for five seconds at most before it runs a failed node again, but the process may be
// busy, or asleep with its machine, for much longer.
const FOR_RETRY_MS = HOUR_MS;
const FOR_RETRY_OF_CALL_MS = 30_000;
const FOR_CALLER_MS = 24 * HOUR_MS;
const FOR_CALLER_WITHOUT_EXECUTION_MS = HOUR_MS;
// MCP clients give up after a minute, which n8n doesn't report: the answer reaches nobody, and the
// client calls again.
const LONG_CALL_MS = MINUTE_MS;
const FOR_REPEATED_CALL_MS = 5 * MINUTE_MS;

/** What is remembered of one item: of a run and its retries, or of equal calls of a tool. */
export interface MemoryEntry {
	/** The item's jobs, one for each attempt, the oldest first. */
	readonly jobs: TrackedJob[];
	/** How many times n8n has run the node with the entry so far, as its Retry On Fail counts. */
	tries: number;
	/** Whether the last of these runs has returned its output, instead of throwing an error. */
	hasReturned: boolean;
	/** The runs that work with the entry now. */
	readonly users: Set<object>;
	/**
	 * Whether the item has failed because of its job's end or output, which no retry can change. A
	 * retry runs such an item first, so that nothing new is started if it fails again.
	 */
	hasLastingError: boolean;
	/** The work on it that is in progress, which equal calls share. */
	inProgress?: Promise<unknown>;
	/** Until when it is kept in any case, in ms, from `Clock.elapsed()`. */
	keptUntil: number;
	/** For how long it is kept if its jobs were not delivered to a caller, in ms; 0 if they were. */
	keptUndeliveredMs: number;
	/** When a call last ended, in ms, from `Clock.elapsed()`. */
	calledAt: number;
}

/** How a run's work with an entry ended. */
export type CallEnd =
	/**
	 * The run of a node that is no tool ended. `mayBeRetried`: whether an item of it has failed, and
	 * Retry On Fail has a try left.
	 */
	| { kind: 'run'; mayBeRetried: boolean }
	/**
	 * A call of a tool failed at once, since it is unclear whether an earlier one has started a job.
	 * It changes nothing.
	 */
	| { kind: 'skippedCall' }
	| EndedCall;

/** A call of a tool ended, or one without an execution, e.g. over MCP. */
interface EndedCall {
	kind: 'call';
	/** Whether it has failed, and Retry On Fail is on. */
	mayBeRetried: boolean;
	/** Whether n8n gives an execution ID. */
	hasExecution: boolean;
	/** Whether the caller was given all that it asked for: the job's end, or its start. */
	isDelivered: boolean;
	/** Whether that was a success. */
	isSuccess: boolean;
	/** How long the call took, in ms. */
	tookMs: number;
}

/**
 * The memory of all jobs in this process, so that none is started twice. A start is recorded before
 * it is sent.
 *
 * An item **starts a job** if nothing is remembered under its key, or if the remembered start was
 * certainly not carried out. Otherwise, it continues with the remembered job, or fails if it is
 * unclear whether there is one.
 *
 * The key, which connectItems.ts builds, says which items are the same:
 * - those of a run and its retries by Retry On Fail: the same execution, node name, run index and
 *   item, so a loop or a new execution starts new jobs,
 * - in tools, and where n8n gives no execution, those of equal calls: the same execution (or none),
 *   node name, account, item index and evaluated parameters.
 *
 * An entry is kept as long as a run works with it. After that, the entries of a run are kept for
 * an hour if any of its items has failed and Retry On Fail has a try left, and otherwise not at
 * all. An entry of equal calls is kept
 * - for 30 seconds if the call has failed and Retry On Fail is on,
 * - for a day (without an execution: an hour) after the last event of its job or the last call, if
 *   that call did not return what it was asked for: the job's end, an item of its takeover or,
 *   without waiting, the started job. The next equal call then continues with the job,
 * - for five minutes if there is no execution, and a success took more than a minute: the caller
 *   has probably given up, and repeats the call.
 *
 * What is kept is small: without a run, a job has no output.
 */
export class JobMemory {
	private readonly entries = new Map<string, MemoryEntry>();

	constructor(private readonly clock: Clock) {}

	/**
	 * Returns the entry with this key, or a new one whose job begins with `record`. `user`: the run
	 * that works with it until `close`.
	 */
	open(key: string, user: object, record?: JobRecord): MemoryEntry {
		let entry = this.entries.get(key);
		if (entry === undefined || !this.isKept(entry)) {
			entry = {
				jobs: [new TrackedJob(this.clock, record)],
				tries: 0,
				hasReturned: false,
				users: new Set(),
				hasLastingError: false,
				keptUntil: 0,
				keptUndeliveredMs: 0,
				calledAt: 0,
			};
			this.entries.set(key, entry);
		}
		entry.users.add(user);
		entry.tries++;
		return entry;
	}

	/**
	 * Records how a run of the node ended. n8n's engine doesn't count a run that throws after one
	 * that has returned a failed item: it runs the node once more.
	 */
	recordTry(entry: MemoryEntry, { isThrown }: { isThrown: boolean }): void {
		if (isThrown && entry.hasReturned) entry.tries--;
		entry.hasReturned = !isThrown;
	}

	/** Ends a run's work with an entry. */
	close(entry: MemoryEntry, user: object, end: CallEnd): void {
		const now = this.clock.elapsed();
		// The tries of a node follow one another, so the last one decides.
		if (end.kind === 'run') entry.keptUntil = end.mayBeRetried ? now + FOR_RETRY_MS : now;
		if (end.kind === 'call') {
			const { mayBeRetried, hasExecution, isDelivered, isSuccess, tookMs } = end;
			// Several equal calls may be due for a retry, so neither time is ever shortened.
			const keep = (ms: number) => (entry.keptUntil = Math.max(entry.keptUntil, now + ms));
			if (mayBeRetried) keep(FOR_RETRY_OF_CALL_MS);
			const forCallerMs = hasExecution ? FOR_CALLER_MS : FOR_CALLER_WITHOUT_EXECUTION_MS;
			entry.keptUndeliveredMs = isDelivered ? 0 : forCallerMs;
			entry.calledAt = now;
			const mayBeRepeated = isSuccess && !hasExecution && tookMs > LONG_CALL_MS;
			if (isDelivered && mayBeRepeated) keep(FOR_REPEATED_CALL_MS);
		}
		entry.users.delete(user);
		if (entry.users.size === 0) for (const job of entry.jobs) job.release();
	}

	/** Until when an entry is kept without a run, in ms, from `Clock.elapsed()`. */
	expiryOf({ jobs, keptUntil, keptUndeliveredMs, calledAt }: MemoryEntry): number {
		const isEmpty = jobs.every(({ record }) => record.state === 'none');
		if (keptUndeliveredMs === 0 || isEmpty) return keptUntil;
		const lastAt = Math.max(calledAt, ...jobs.map(({ changedAt }) => changedAt));
		return Math.max(keptUntil, lastAt + keptUndeliveredMs);
	}

	/** Forgets the entries that are no longer kept. Takes time for each, so call it once per run. */
	forgetExpired(): void {
		for (const [key, entry] of this.entries) {
			if (!this.isKept(entry)) this.entries.delete(key);
		}
	}

	/** How many entries are kept. */
	get size(): number {
		this.forgetExpired();
		return this.entries.size;
	}

	private isKept(entry: MemoryEntry): boolean {
		return entry.users.size > 0 || this.expiryOf(entry) > this.clock.elapsed();
	}
}
