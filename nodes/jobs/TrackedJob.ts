import type { IDataObject } from 'n8n-workflow';

import type { Clock } from '../async/clock';
import type { Redactor } from '../service/redact';
import type { Job, StartedJob } from '../service/types';
import { TRANSITIONS, type JobEvent, type JobState } from './jobStates';
import { failureReason, hasFinalStatus, isPaused, isSuccessful } from './status';

/**
 * What is known of a job, in fields named as in items: as its start returned it, overwritten by
 * what status checks have shown since. JSON-serializable. Timestamps are in ms, from `Clock.now()`.
 */
export interface JobRecord {
	state: JobState;
	/** The job's ID, whoever started it. */
	job_id?: string;
	/** As last seen, or as the node has left it. If unset, it is unknown. */
	status?: string;
	live_url?: string;
	history_url?: string;
	/** The CDP URL of the job's browser: a secret. */
	cdp_url?: string;
	credits_used?: number;
	/** Why the job failed, if it has and the service said so: safe to show. */
	job_error?: string;
	/** The start, if it is unclear whether it started a job. */
	unclearStart?: {
		/** When it was sent. */
		sentAt: number;
		/** What came instead of a usable response, safe to show: a sentence without its full stop. */
		cause: string;
	};
	/** When a status check last showed the job. If unset, none has. */
	seenAt?: number;
	/** The job's start, if this node started it. */
	start?: {
		/** When its response arrived. */
		at: number;
		/** The status in its response. For a saved workflow, that is the status of the request. */
		status?: string;
		/** Its response. Unset in a stored record, and once no run works with a large one. */
		body?: IDataObject;
	};
}

// The fields of a start's response that items show are short.
const MAX_BODY_CHARACTERS = 20_000;

/**
 * A job as the node knows it. Only recorded events change its state, as `TRANSITIONS` says. Whoever
 * sends a start, a pause or a resume also records that request, with `recordRequest`, so that
 * others can wait for it.
 */
export class TrackedJob {
	private current: JobRecord;

	private endedJob?: Job;

	/**
	 * The pending request for the job. The `tries` of a pause are aborted to prevent more of them.
	 */
	private request?: { whenOver: Promise<void>; tries?: AbortController; hasFailedTry: boolean };

	private lastEventAt: number;

	private wasMistaken = false;

	/** Whether the response to the start is too large to be kept without a run. */
	private hasLargeBody = false;

	/** `record`: what is known already, e.g. to the process that suspended the wait for the job. */
	constructor(
		private readonly clock: Clock,
		record: JobRecord = { state: 'none' },
	) {
		this.current = record;
		this.lastEventAt = clock.elapsed();
	}

	/** What is known of the job now. An event replaces this object. */
	get record(): Readonly<JobRecord> {
		return this.current;
	}

	/** When the last event was recorded: in ms, from `Clock.elapsed()`. */
	get changedAt(): number {
		return this.lastEventAt;
	}

	/** Whether this node has started the job or seen its status, so that the job surely exists. */
	get exists(): boolean {
		const { start, seenAt } = this.current;
		return start !== undefined || seenAt !== undefined;
	}

	/** The ended job with its output, if a run that works with it has seen its end. */
	get ended(): Job | undefined {
		return this.endedJob;
	}

	/**
	 * Records an event, and adds what is known through it. If `TRANSITIONS` doesn't list the event
	 * for the current state, only `more` is added.
	 */
	recordEvent(event: JobEvent, more: Partial<JobRecord> = {}): void {
		const { state: before, status } = this.current;
		const state = TRANSITIONS[before][event] ?? before;
		this.current = { ...this.current, ...more, state };
		if (state === 'paused') this.current.status = 'paused';
		// A job that is being resumed is no longer known to be paused.
		if (event === 'resumeSent' && status === 'paused') this.current.status = undefined;
		this.lastEventAt = this.clock.elapsed();
	}

	/** Records that the service responded to a start with this job. */
	recordStarted(started: StartedJob): void {
		const { job_id, status, live_url, history_url, cdp_url, body } = started;
		this.recordEvent('startDone', {
			job_id,
			// The response to a saved workflow's start has `success`, the status of the request.
			status: status === 'success' ? undefined : status,
			live_url,
			history_url,
			cdp_url,
			start: { at: this.clock.now(), status, body },
		});
		this.hasLargeBody = JSON.stringify(body).length > MAX_BODY_CHARACTERS;
	}

	/**
	 * Records the job as a status check showed it. Keeps its output only if it has ended. Returns
	 * whether its end was seen for the first time. `redactor` makes the reason of a failure safe to
	 * show.
	 */
	recordSeen(job: Job, redactor: Redactor): boolean {
		const isEnd = hasFinalStatus(job);
		const hasJustEnded = isEnd && this.current.state !== 'ended';
		if (isEnd) this.recordEvent('seenEnded', this.seenIn(job, redactor));
		else this.recordEvent(isPaused(job) ? 'seenPaused' : 'seenOpen', this.seenIn(job, redactor));
		if (isEnd) this.endedJob = job;
		return hasJustEnded;
	}

	/**
	 * Records that a response about this job carried the ID of another one. Returns whether it is the
	 * first such response.
	 */
	recordMistake(): boolean {
		const isFirst = !this.wasMistaken;
		this.wasMistaken = true;
		return isFirst;
	}

	/** Drops what only a run needs: the output, and a large response to the start. */
	release(): void {
		this.endedJob = undefined;
		const { start } = this.current;
		if (start === undefined || !this.hasLargeBody) return;
		this.current = { ...this.current, start: { ...start, body: undefined } };
		this.hasLargeBody = false;
	}

	/** The pending request for the job, if any. Never rejects. */
	get pendingRequest(): Promise<void> | undefined {
		return this.request?.whenOver;
	}

	/** Whether a pause is pending, and its tries have not been ended. */
	get isPausing(): boolean {
		return this.request?.tries?.signal.aborted === false;
	}

	/** Whether a try of the pending pause has failed. */
	get hasFailedTry(): boolean {
		return this.request?.hasFailedTry === true;
	}

	/** Records that a try of the pending pause has failed, and that another one may follow. */
	recordFailedTry(): void {
		if (this.request !== undefined) this.request.hasFailedTry = true;
	}

	/**
	 * Records a pending request for the job, including its tries to come, until it is over. A
	 * rejection doesn't surface here: whoever created `request` must handle it. `tries`: for a
	 * pause. Aborting it must prevent further tries.
	 */
	recordRequest(request: Promise<unknown>, tries?: AbortController): void {
		const whenOver = request
			.catch(() => {})
			.then(() => {
				if (this.request === pending) this.request = undefined;
			});
		const pending = { whenOver, tries, hasFailedTry: false };
		this.request = pending;
	}

	/** Prevents more tries of the pending pause, which is over after the current try. */
	endTries(): void {
		this.request?.tries?.abort();
	}

	/** Returns what a status check shows of the job, without what it leaves out. */
	private seenIn(job: Job, redactor: Redactor): Partial<JobRecord> {
		const { status, live_url, history_url, cdp_url, credits_used } = job;
		const isFailed = hasFinalStatus(job) && !isSuccessful(job);
		const job_error = isFailed ? failureReason(job, redactor) : undefined;
		const fields = Object.entries({ live_url, history_url, cdp_url, credits_used, job_error });
		const known = fields.filter(([, value]) => value !== undefined);
		return { status, seenAt: this.clock.now(), ...Object.fromEntries(known) };
	}
}

/** Returns the IDs of jobs, as far as they have one. */
export function idsIn(jobs: TrackedJob[]): string[] {
	return jobs.flatMap(({ record }) => record.job_id ?? []);
}

/** Returns a job as it is recorded: without its output and the service's response. */
export function toJob({ job_id = '', status = '', ...record }: JobRecord): Job {
	const { job_error: error, live_url, history_url, cdp_url, credits_used } = record;
	return { job_id, status, error, live_url, history_url, cdp_url, credits_used, body: {} };
}
