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
// MCP clients give up after a minute, and n8n doesn't tell us: the response is lost, and the client
// usually repeats the call.
const LONG_CALL_MS = MINUTE_MS;
const FOR_REPEATED_CALL_MS = 5 * MINUTE_MS;

/** What is remembered of one item, across a run and its retries, or across equal tool calls. */
export interface MemoryEntry {
	/** The item's jobs, one for each attempt, the oldest first. */
	readonly jobs: TrackedJob[];
	/**
	 * How many times n8n has run the node with the entry so far, as Retry On Fail counts them.
	 * Meaningless for a tool, whose entry equal calls share.
	 */
	tries: number;
	/** Whether the last of these runs has returned its output, instead of throwing an error. */
	hasReturned: boolean;
	/** The runs that work with the entry now. */
	readonly users: Set<object>;
	/**
	 * Whether the item has ever failed with a lasting error: its job failed or was canceled, or its
	 * output was invalid. A retry runs such items first, so that nothing new is started if they fail
	 * again.
	 */
	hasLastingError: boolean;
	/** The work on it that is in progress, which equal calls share. */
	inProgress?: Promise<unknown>;
	/** It is kept at least until then, delivered or not: in ms, from `Clock.elapsed()`. */
	keptUntil: number;
	/** For how long it is kept if a tool call did not get its result, in ms; 0 if it did. */
	keptUndeliveredMs: number;
	/** When a tool call that worked with it last ended, in ms, from `Clock.elapsed()`. */
	callEndedAt: number;
}

/** How a run's work with an entry ended. */
export type WorkEnd =
	/**
	 * The run of a node that isn't a tool ended. `mayBeRetried`: whether an item of it has failed,
	 * and Retry On Fail has a try left.
	 */
	| { kind: 'run'; mayBeRetried: boolean }
	/**
	 * A tool call failed at once, because it is unclear whether an earlier one has started a job. It
	 * doesn't change how long the entry is kept.
	 */
	| { kind: 'skippedCall' }
	| EndedCall;

/** A tool call ended. Calls without an execution, e.g. over MCP, are tool calls, too. */
interface EndedCall {
	kind: 'call';
	/** Whether it has failed, and Retry On Fail is on. */
	mayBeRetried: boolean;
	/** Whether n8n gives an execution ID. */
	hasExecution: boolean;
	/**
	 * Whether this call returned its job's end or a takeover, or failed because of it, or returned
	 * the start if it does not wait.
	 */
	isDelivered: boolean;
	/** Whether that was a success. */
	isSuccess: boolean;
	/** How long the call took, in ms. */
	tookMs: number;
}

/**
 * What this process remembers of jobs, so that neither a retry nor an equal tool call starts a job
 * twice. A start is recorded before it is sent.
 *
 * An item **starts a job** if nothing is remembered under its key, if the remembered start was
 * certainly not carried out, or if its job failed and it has an attempt left. It waits for a
 * start that is on its way. Otherwise, it continues with the remembered job, or fails if it is
 * unclear whether there is one.
 *
 * The key, which connectItems.ts builds, says which items share an entry:
 * - those of a run and its retries by Retry On Fail: the same execution, node name, run index, item
 *   and given job ID, so a loop or a new execution starts new jobs,
 * - in tools, and where n8n gives no execution, those of equal calls: the same execution (or none),
 *   node name, account, item index, given job ID and evaluated parameters.
 *
 * An entry is kept as long as a run works with it. After that, the entries of a run are kept for
 * an hour if any of its items has failed and Retry On Fail has a try left, and otherwise not at
 * all. An entry of equal calls is kept
 * - for 30 seconds if the call has failed and Retry On Fail is on,
 * - for a day (without an execution: an hour) after the last event of its job or the end of the
 *   last call that worked with it, if that call did not return what it was asked for: the job's
 *   end, an item that says that a user took over or, without waiting, the started job. The next
 *   equal call then continues with the job. An entry in which nothing was started is not kept for
 *   this.
 * - for five minutes if there is no execution, and a success took more than a minute: the caller
 *   has probably given up, and repeats the call.
 *
 * What is kept is small: without a run, a job has no output.
 */
export class JobMemory {
	private readonly entries = new Map<string, MemoryEntry>();

	constructor(private readonly clock: Clock) {}

	/**
	 * Returns the entry with this key, or a new one whose job is initialized from `record`. `user`:
	 * the run that works with it until `close`.
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
				callEndedAt: 0,
			};
			this.entries.set(key, entry);
		}
		entry.users.add(user);
		entry.tries++;
		return entry;
	}

	/**
	 * Records how a run of the node ended. If a run throws after one that has returned a failed item,
	 * n8n doesn't count it as a try, and runs the node once more.
	 */
	recordTry(entry: MemoryEntry, { isThrown }: { isThrown: boolean }): void {
		if (isThrown && entry.hasReturned) entry.tries--;
		entry.hasReturned = !isThrown;
	}

	/** Ends a run's work with an entry. */
	close(entry: MemoryEntry, user: object, end: WorkEnd): void {
		const now = this.clock.elapsed();
		// The tries of a node run one after another, so the last one decides.
		if (end.kind === 'run') entry.keptUntil = end.mayBeRetried ? now + FOR_RETRY_MS : now;
		if (end.kind === 'call') {
			const { mayBeRetried, hasExecution, isDelivered, isSuccess, tookMs } = end;
			// Several equal calls may be due for a retry, so this time is never shortened.
			const keep = (ms: number) => (entry.keptUntil = Math.max(entry.keptUntil, now + ms));
			if (mayBeRetried) keep(FOR_RETRY_OF_CALL_MS);
			const forCallerMs = hasExecution ? FOR_CALLER_MS : FOR_CALLER_WITHOUT_EXECUTION_MS;
			entry.keptUndeliveredMs = isDelivered ? 0 : forCallerMs;
			entry.callEndedAt = now;
			const mayBeRepeated = isSuccess && !hasExecution && tookMs > LONG_CALL_MS;
			if (isDelivered && mayBeRepeated) keep(FOR_REPEATED_CALL_MS);
		}
		entry.users.delete(user);
		releaseUnused(entry);
	}

	/** Until when an entry is kept without a run, in ms, from `Clock.elapsed()`. */
	expiryOf({ jobs, keptUntil, keptUndeliveredMs, callEndedAt }: MemoryEntry): number {
		const isEmpty = jobs.every(({ record }) => record.state === 'none');
		if (keptUndeliveredMs === 0 || isEmpty) return keptUntil;
		const lastAt = Math.max(callEndedAt, ...jobs.map(({ changedAt }) => changedAt));
		return Math.max(keptUntil, lastAt + keptUndeliveredMs);
	}

	/**
	 * Forgets the entries that are no longer kept, and what the others need only while a run works
	 * with them. Scans all entries, so call it only once per run.
	 */
	forgetExpired(): void {
		for (const [key, entry] of this.entries) {
			if (!this.isKept(entry)) this.entries.delete(key);
			else releaseUnused(entry);
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

/** Releases the jobs of an entry that no run works with. */
function releaseUnused({ users, jobs }: MemoryEntry): void {
	if (users.size === 0) for (const job of jobs) job.release();
}
