import type { Clock } from '../async/clock';
import type { JobFacts, UserError } from '../errors/UserError';
import type { Redactor } from '../service/redact';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job, StartedJob } from '../service/types';
import { TRANSITIONS, type JobEvent, type JobState } from './jobStates';
import { isFinal, isPaused, withoutContent } from './status';

/**
 * When the node pauses the item's job: when the execution is stopped; `always`: when the wait for it ends early
 * for any other reason, too.
 */
export type PausePolicy = 'onStop' | 'always' | 'never';

/** A job that this node has started. `startedAt` is the clock's time. */
export interface LedgerJob extends StartedJob {
	startedAt: number;
}

/** What the ledger knows of an item's job. */
export interface EntryFacts {
	readonly state: JobState;
	/** The job, whoever has started it. */
	readonly jobId?: string;
	/** The job, if this node has started it. */
	readonly started?: LedgerJob;
	/** The job as last seen, and the clock's time of that. */
	readonly job?: Job;
	readonly seenAt?: number;
	/** Why the item has failed, or why it is unclear whether its job was started. */
	readonly error?: UserError;
}

/** Whom an entry belongs to. */
export interface EntryOwner {
	client: ServiceClient;
	policy: PausePolicy;
	/** Called as soon as a job is known to be started, however late that is. */
	onStarted: (job: LedgerJob) => void;
}

/** An item's job. It changes by events only, as `TRANSITIONS` says. Each further attempt has its own. */
export class LedgerEntry {
	private known: EntryFacts;

	private currentOwner?: EntryOwner;

	private currentRequest?: Promise<void>;

	/** How many runs, each counted once with its retries, have not returned a result for it yet. */
	private refCount = 0;

	/** The entry of the next attempt, if this one's job has failed and another one may be started. */
	private next?: LedgerEntry;

	/** `runs`: those that work with it now, by their signals; equal calls of a tool at the same time share it. */
	constructor(
		private readonly clock: Clock,
		facts: EntryFacts = { state: 'none' },
		private readonly runs = new Set<AbortSignal>(),
	) {
		this.known = facts;
	}

	get facts(): EntryFacts {
		return this.known;
	}

	get state(): JobState {
		return this.known.state;
	}

	get owner(): EntryOwner | undefined {
		return this.currentOwner;
	}

	get policy(): PausePolicy {
		return this.owner?.policy ?? 'never';
	}

	get isInUse(): boolean {
		return this.runs.size > 0;
	}

	/** What the user is shown of the job; undefined without its ID. */
	get details(): JobFacts | undefined {
		const { state, jobId, job, started } = this.known;
		if (jobId === undefined) return undefined;
		return {
			job_id: jobId,
			status: state === 'paused' ? 'paused' : (job?.status ?? started?.status),
			history_url: job?.history_url ?? started?.history_url,
			live_url: job?.live_url ?? started?.live_url,
			credits_used: job?.credits_used,
		};
	}

	get attempts(): LedgerEntry[] {
		return [this, ...(this.next?.attempts ?? [])];
	}

	/** Lets a redactor hide the addresses of the job's browser, which only an earlier run may have seen. */
	hideAddresses(redactor: Redactor): void {
		for (const one of [this.known.started, this.known.job]) {
			redactor.addAddress(one?.cdp_url, one?.job_id);
		}
	}

	/** The entry of the attempt after this one, whose job was seen to fail. */
	nextAttempt(): LedgerEntry {
		this.next ??= new LedgerEntry(this.clock, undefined, this.runs);
		if (this.owner) this.next.connect(this.owner);
		return this.next;
	}

	/** A run begins to work with it. If one has failed before, this is its retry. */
	join(run: AbortSignal): void {
		if (this.runs.has(run)) return;
		if (this.refCount <= this.runs.size) this.refCount++;
		this.runs.add(run);
	}

	connect(owner: EntryOwner): void {
		this.currentOwner = owner;
	}

	leave(run: AbortSignal): void {
		this.runs.delete(run);
	}

	/** A run has returned its result. Returns whether it was the last one. */
	close(): boolean {
		return --this.refCount === 0;
	}

	recordRequest(request: Promise<unknown>): void {
		const settled = request
			.catch(() => {})
			.then(() => {
				if (this.currentRequest === settled) this.currentRequest = undefined;
			});
		this.currentRequest = settled;
	}

	/** The request for the job that is in flight; never rejects. */
	get request(): Promise<void> | undefined {
		return this.currentRequest;
	}

	recordStarted(started: StartedJob): void {
		const job = { ...started, startedAt: this.clock.now() };
		this.record('started', { jobId: started.job_id, started: job });
		this.owner?.onStarted(job);
	}

	/** The service has shown the job like this; `isOver`: its wait ends with that. */
	recordSeen(job: Job, isOver = isFinal(job)): void {
		const event = isOver ? 'ended' : isPaused(job) ? 'seenPaused' : 'seenRunning';
		this.record(event, { job: isOver ? job : withoutContent(job), seenAt: this.clock.now() });
	}

	/** Something has happened to the job, which `facts` belong to. */
	record(event: JobEvent, facts: Partial<EntryFacts> = {}): void {
		const { state } = this.known;
		this.known = { ...this.known, ...facts, state: TRANSITIONS[state][event] ?? state };
	}
}
