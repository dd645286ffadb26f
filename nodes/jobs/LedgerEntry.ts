import type { IDataObject } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { JobDetails, PreviousJob } from '../errors/JobDetails';
import { UserError } from '../errors/UserError';
import type { Redactor } from '../service/redact';
import type { ServiceClient } from '../service/ServiceClient';
import type { Job, StartedJob } from '../service/types';
import { jobDurationMs } from './jobDuration';
import { TRANSITIONS, type JobEvent, type JobState } from './jobStateMachine';
import {
	failureReason,
	hasFinalStatus,
	isPaused,
	isSuccessful,
	isTakenOver,
	statusAtStart,
	withoutContent,
} from './status';

// The fields of a start's response that items show are short.
const MAX_BODY_CHARACTERS = 20_000;

/**
 * When the node pauses the item's job. `onStop`: when the execution is stopped. `onEarlyEnd`:
 * whenever the wait for the job ends early.
 */
export type PausePolicy = 'onStop' | 'onEarlyEnd' | 'never';

/** A job that this node started. */
export interface LedgerJob extends StartedJob {
	/** When the response to its start arrived, in ms, from `Clock.now()`. */
	startedAt: number;
}

/** What the ledger knows of an item's job. JSON-serializable except for `error`. */
export interface EntryRecord {
	readonly state: JobState;
	/** The job's ID, whoever started it. */
	readonly jobId?: string;
	/** The job as its start returned it, if this node started it. */
	readonly started?: LedgerJob;
	/** The job as last seen, without its output, error and body. */
	readonly job?: Job;
	/** Why the job failed, if it has and the service said so: safe to show. */
	readonly reason?: string;
	/** When `job` was seen, in ms, from `Clock.now()`. */
	readonly seenAt?: number;
	/** Why the item failed, or why it is unclear whether its job was started. */
	readonly error?: UserError;
}

/** What an entry keeps of the run that works with it, or of the last one that did. */
export interface EntryOwner {
	client: ServiceClient;
	pausePolicy: PausePolicy;
	/** Whether the item waits for the job's end. Default: no. */
	waitsForEnd?: boolean;
	/** Aborted when the run ends. If unset, the run has already ended. */
	signal?: AbortSignal;
	/** Called when the response to a start arrives with a job, even after the end of the run. */
	onStarted: (job: LedgerJob) => void;
	/**
	 * Called once for each job whose end is seen, even after the end of the run, with the job's
	 * duration in ms if it is known.
	 */
	onFinished?: (job: Job, durationMs?: number) => void;
}

/** A pending request for the job, including its retries. */
interface EntryRequest {
	/** Resolves when the request is over, however it ended. */
	whenOver: Promise<void>;
	/** Prevents more tries. */
	endTries: () => void;
}

/**
 * What is known of an item's job. Only recorded events change its state, as `TRANSITIONS` says.
 * Whoever sends a request for the job also records the request, with `recordRequest`. Each attempt
 * has its own entry.
 */
export class LedgerEntry {
	private current: EntryRecord;

	private currentOwner?: EntryOwner;

	private currentResult?: Job;

	/** The entry of the next attempt. If unset, there is none so far. */
	private next?: LedgerEntry;

	private currentRequest?: EntryRequest;

	/** The item's work in progress, which identical tool calls share. */
	private sharedWork?: Promise<unknown>;

	/**
	 * `clock` provides the times at which the job is started and seen. `known` is what the entry
	 * begins with, e.g. what another process knew of the job.
	 */
	constructor(
		private readonly clock: Clock,
		known: EntryRecord = { state: 'none' },
	) {
		this.current = known;
	}

	/** What is known of the job now. A recorded event replaces this object. */
	get known(): EntryRecord {
		return this.current;
	}

	/** The state to which the recorded events led; at first `none`, or that of `known`. */
	get state(): JobState {
		return this.current.state;
	}

	/** Whether this node has started the job or seen its status, so that the job surely exists. */
	get wasStartedOrSeen(): boolean {
		const { started, seenAt } = this.current;
		return started !== undefined || seenAt !== undefined;
	}

	/** What an error shows of the job; undefined while its ID is unknown. */
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
	 * Makes a redactor hide the CDP URLs of the job's browser, since the redactor doesn't know those
	 * that an earlier run received.
	 */
	hideCdpUrls(redactor: Redactor): void {
		for (const one of [this.current.started, this.current.job]) {
			redactor.addCdpUrl(one?.cdp_url, one?.job_id);
		}
	}

	/**
	 * Records an event and merges `more` into the record. If `TRANSITIONS` doesn't list the event for
	 * the current state, the state stays as it is, but `more` is merged all the same.
	 */
	record(event: JobEvent, more: Partial<EntryRecord> = {}): void {
		const { state } = this.current;
		this.current = { ...this.current, ...more, state: TRANSITIONS[state][event] ?? state };
	}

	/**
	 * Records that the service responded to a start with this job, and tells the owner. Returns
	 * the job as the ledger knows it.
	 */
	recordStarted(started: StartedJob): LedgerJob {
		const job = { ...started, startedAt: this.clock.now() };
		this.record('started', { jobId: started.job_id, started: job });
		this.owner?.onStarted(job);
		return job;
	}

	/** Records the job as a status check showed it. Keeps its output only if it has ended. */
	recordSeen(job: Job): void {
		if (hasFinalStatus(job)) {
			this.recordFinished(job);
		} else {
			this.record(eventOf(job), { job: withoutContent(job), seenAt: this.clock.now() });
		}
	}

	/**
	 * Records that the job has finished, and keeps its output: a status check showed its end, or a
	 * takeover after which the node returns the job. Tells the owner if that is new.
	 */
	recordFinished(job: Job): void {
		const redactor = this.owner?.client.redactor;
		const reason = redactor && isFailed(job) ? failureReason(job, redactor) : undefined;
		const seenAt = this.clock.now();
		const isNew = this.state !== 'finished';
		this.record('seenFinished', { job: withoutContent(job), reason, seenAt });
		this.currentResult = job;
		const { started } = this.known;
		if (isNew) this.owner?.onFinished?.(job, jobDurationMs(job, started?.startedAt, seenAt));
	}

	/** Records why the item has failed: its job's end can't be changed by a retry. */
	recordFailure(error: UserError): void {
		this.record('seenFinished', { error });
	}

	/** The finished job with its output, as this run or an equal call has seen it. */
	get result(): Job | undefined {
		return this.currentResult;
	}

	/** If undefined, no run has worked with the entry in this process yet. */
	get owner(): EntryOwner | undefined {
		return this.currentOwner;
	}

	/**
	 * Makes a run the owner of all attempts from now on. Does nothing while the owner's run is still
	 * in progress, e.g. for an identical tool call.
	 */
	claim(owner: EntryOwner): void {
		if (!this.isInUse) this.currentOwner = owner;
		// Even before the run comes to the later attempts, a Stop may have to pause their jobs.
		this.next?.claim(owner);
	}

	/** When to pause the job, as the owner's item says; `never` without an owner. */
	get pausePolicy(): PausePolicy {
		return this.owner?.pausePolicy ?? 'never';
	}

	/** Whether the owner's run is still in progress. */
	get isInUse(): boolean {
		return this.owner?.signal?.aborted === false;
	}

	/**
	 * Whether the owner's item has been given all that it asked for: the job's end or, if it doesn't
	 * wait for that, the started job. Read it when the run is over.
	 */
	get isEndGiven(): boolean {
		const { state } = this.current;
		if (state === 'finished') return true;
		const mayHaveStarted = !['none', 'sending', 'startUnclear'].includes(state);
		return mayHaveStarted && this.owner?.waitsForEnd !== true;
	}

	/** Whether that was an answer rather than an error. */
	get isAnswered(): boolean {
		const { error, job } = this.current;
		if (this.owner?.waitsForEnd !== true) return this.isEndGiven;
		return error === undefined && job !== undefined && isSuccessful(job);
	}

	/**
	 * Drops what only a run needs: outputs, responses and, once no request is pending, the client.
	 * Applies to all attempts. Call it when no run works with the entry.
	 */
	release(): void {
		this.next?.release();
		this.currentResult = undefined;
		const { started, error } = this.current;
		this.current = {
			...this.current,
			started: started && { ...started, body: smallBody(started.body) },
			// Without its causes, which may hold a whole request.
			error: error && new UserError(error.message, error.details),
		};
		void this.releaseOwner();
	}

	// A pause may continue in the background, and another run may become the owner meanwhile.
	private async releaseOwner(): Promise<void> {
		const owner = this.currentOwner;
		while (this.currentRequest !== undefined) await this.currentRequest.whenOver;
		if (this.currentOwner === owner && !this.isInUse) this.currentOwner = undefined;
	}

	/** This entry and those of the attempts after it, the oldest first. */
	get attempts(): LedgerEntry[] {
		return [this, ...(this.next?.attempts ?? [])];
	}

	/** The entry of the latest attempt; this one if there is no other. */
	get latestAttempt(): LedgerEntry {
		return this.next?.latestAttempt ?? this;
	}

	/** The jobs of the item's failed attempts before its latest one, the oldest first. */
	get previousJobs(): PreviousJob[] {
		return this.attempts.slice(0, -1).flatMap(({ known: { job, reason } }) => {
			if (job === undefined) return [];
			return { job_id: job.job_id, job_error: reason, credits_used: job.credits_used };
		});
	}

	/**
	 * Returns the entry of the next attempt, with the same owner, and creates it if there is none.
	 * This attempt's job must have failed.
	 */
	nextAttempt(): LedgerEntry {
		this.next ??= new LedgerEntry(this.clock);
		if (this.owner) this.next.claim(this.owner);
		return this.next;
	}

	/** The pending request for the job, if any. Never rejects. */
	get pendingRequest(): Promise<void> | undefined {
		return this.currentRequest?.whenOver;
	}

	/**
	 * Records the pending request for the job, including its retries, until it is over. A rejection
	 * doesn't surface here: whoever created `request` must handle it. `endTries` prevents more tries.
	 * Omit it if there is only one try.
	 */
	recordRequest(request: Promise<unknown>, endTries = () => {}): void {
		const whenOver = request
			.catch(() => {})
			.then(() => {
				if (this.currentRequest?.whenOver === whenOver) this.currentRequest = undefined;
			});
		this.currentRequest = { whenOver, endTries };
	}

	/** Prevents more tries of the pending request, which is over after the current try. */
	endTries(): void {
		this.currentRequest?.endTries();
	}

	/**
	 * Does the item's work and returns its promise. Until the work is done, an identical tool call
	 * gets the same promise instead: a rejection reaches all that share it.
	 */
	share<T>(work: () => Promise<T>): Promise<T> {
		this.sharedWork ??= work().finally(() => {
			this.sharedWork = undefined;
		});
		return this.sharedWork as Promise<T>;
	}
}

function isFailed(job: Job): boolean {
	return hasFinalStatus(job) && !isSuccessful(job);
}

/** Returns the response to a start, or nothing of it if it is large. */
function smallBody(body: IDataObject): IDataObject {
	return JSON.stringify(body).length <= MAX_BODY_CHARACTERS ? body : {};
}

function eventOf(job: Job): JobEvent {
	if (isTakenOver(job)) return 'seenTakenOver';
	return isPaused(job) ? 'seenPaused' : 'seenRunning';
}
