import type { Clock } from '../async/clock';
import type { JobDetails } from '../errors/JobDetails';
import type { UserError } from '../errors/UserError';
import type { Redactor } from '../service/redact';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job, StartedJob } from '../service/types';
import { TRANSITIONS, type JobEvent, type JobState } from './jobStates';
import { hasEnded, isPaused, isTakenOver, statusAtStart, withoutContent } from './status';

/**
 * When the node pauses the item's job: when the execution is stopped; `always`: when the wait for
 * it ends early for any other reason, too.
 */
export type PausePolicy = 'onStop' | 'always' | 'never';

/** A job that this node has started. */
export interface LedgerJob extends StartedJob {
	/** The clock's time of its start's response, in ms. */
	startedAt: number;
}

/** What the ledger knows of an item's job. It can be written as JSON, but for the error. */
export interface EntryRecord {
	readonly state: JobState;
	/** The job, whoever has started it. */
	readonly jobId?: string;
	/** The job, if this node has started it. */
	readonly started?: LedgerJob;
	/** The job as last seen; without its output unless that was its end. */
	readonly job?: Job;
	/** The clock's time of that, in ms. */
	readonly seenAt?: number;
	/** Why the item has failed, or why it is unclear whether its job was started. */
	readonly error?: UserError;
}

/** The run of the node that works with an entry, or the last one that did. */
export interface EntryOwner {
	client: ServiceClient;
	policy: PausePolicy;
	/** Whether the item waits for the job's end. */
	waits?: boolean;
	/** Aborted when the run has ended; unset: it had ended before. */
	signal?: AbortSignal;
	/** Called as soon as a job is known to be started, however late that is. */
	onStarted: (job: LedgerJob) => void;
}

/** A request for the job that is on its way, or is sent again until it succeeds. */
interface EntryRequest {
	/** Resolves when it is over, however it ended. */
	settled: Promise<void>;
	/** Prevents further tries. */
	endTries: () => void;
}

/**
 * What is known of an item's job. It changes by events only, as `TRANSITIONS` says; whoever sends a
 * request for the job records it. Each further attempt has an entry of its own.
 *
 * In this order: what is known, the run of the node that works with it, its attempts, and the
 * requests and the work that are under way.
 */
export class LedgerEntry {
	private current: EntryRecord;

	private currentOwner?: EntryOwner;

	/** The entry of the next attempt, if this one's job has failed and another one may be started. */
	private next?: LedgerEntry;

	private currentRequest?: EntryRequest;

	/** The item's work under way, which equal calls of a tool share. */
	private sharedWork?: Promise<unknown>;

	/**
	 * `clock` tells when the job was started and seen. `known`: what was known of it in another
	 * process.
	 */
	constructor(
		private readonly clock: Clock,
		known: EntryRecord = { state: 'none' },
	) {
		this.current = known;
	}

	/** What is known of the job at present. */
	get known(): EntryRecord {
		return this.current;
	}

	get state(): JobState {
		return this.current.state;
	}

	/** What the user is shown of the job; undefined without its ID. */
	get details(): JobDetails | undefined {
		const { state, jobId, job, started } = this.current;
		if (jobId === undefined) return undefined;
		return {
			job_id: jobId,
			status: state === 'paused' ? 'paused' : (job?.status ?? statusAtStart(started)),
			history_url: job?.history_url ?? started?.history_url,
			live_url: job?.live_url ?? started?.live_url,
			credits_used: job?.credits_used,
		};
	}

	/**
	 * Lets a redactor hide the addresses of the job's browser, which only an earlier run may have
	 * seen.
	 */
	hideAddresses(redactor: Redactor): void {
		for (const one of [this.current.started, this.current.job]) {
			redactor.addAddress(one?.cdp_url, one?.job_id);
		}
	}

	/**
	 * Something has happened to the job, and `more` is known since then. The state stays as it is if
	 * `TRANSITIONS` doesn't list the event for it.
	 */
	record(event: JobEvent, more: Partial<EntryRecord> = {}): void {
		const { state } = this.current;
		this.current = { ...this.current, ...more, state: TRANSITIONS[state][event] ?? state };
	}

	/** The service has responded to a start with this job. Returns it as the ledger knows it. */
	recordStarted(started: StartedJob): LedgerJob {
		const job = { ...started, startedAt: this.clock.now() };
		this.record('started', { jobId: started.job_id, started: job });
		this.owner?.onStarted(job);
		return job;
	}

	/**
	 * The service has shown the job like this. `isOver`: its wait ends with that, so that its output
	 * is kept as well.
	 */
	recordSeen(job: Job, isOver = hasEnded(job)): void {
		this.record(isOver ? 'ended' : eventOf(job), {
			job: isOver ? job : withoutContent(job),
			seenAt: this.clock.now(),
		});
	}

	/** Unset: no run has worked with it in this process yet. */
	get owner(): EntryOwner | undefined {
		return this.currentOwner;
	}

	/**
	 * Lets this run work with it from now on, unless a run with an equal call of a tool does so.
	 */
	connect(owner: EntryOwner): void {
		if (!this.isInUse) this.currentOwner = owner;
	}

	/** When the job is to be paused, as the owner's item says. */
	get policy(): PausePolicy {
		return this.owner?.policy ?? 'never';
	}

	/** Whether a run of the node works with it. */
	get isInUse(): boolean {
		return this.owner?.signal?.aborted === false;
	}

	/** Whether the item waits for the end of its latest job, which has not been seen yet. */
	get isAwaited(): boolean {
		return this.owner?.waits === true && this.attempts.at(-1)?.state !== 'finished';
	}

	/** This entry and those of the attempts after it, the oldest first. */
	get attempts(): LedgerEntry[] {
		return [this, ...(this.next?.attempts ?? [])];
	}

	/** The entry of the attempt after this one, whose job was seen to fail. */
	nextAttempt(): LedgerEntry {
		this.next ??= new LedgerEntry(this.clock);
		if (this.owner) this.next.connect(this.owner);
		return this.next;
	}

	/** The request for the job that is on its way; never rejects. */
	get request(): Promise<void> | undefined {
		return this.currentRequest?.settled;
	}

	/**
	 * A request for the job is on its way. `endTries` ends it after the current try; unset: it is
	 * tried once only.
	 */
	recordRequest(request: Promise<unknown>, endTries = () => {}): void {
		const settled = request
			.catch(() => {})
			.then(() => {
				if (this.currentRequest?.settled === settled) this.currentRequest = undefined;
			});
		this.currentRequest = { settled, endTries };
	}

	/** Prevents further tries of the request: it settles after the current one. */
	endTries(): void {
		this.currentRequest?.endTries();
	}

	/**
	 * Does the item's work and returns its promise. Until that settles, an equal call of a tool gets
	 * the same one.
	 */
	share<T>(work: () => Promise<T>): Promise<T> {
		this.sharedWork ??= work().finally(() => {
			this.sharedWork = undefined;
		});
		return this.sharedWork as Promise<T>;
	}
}

function eventOf(job: Job): JobEvent {
	if (isTakenOver(job)) return 'seenTakenOver';
	return isPaused(job) ? 'seenPaused' : 'seenRunning';
}
