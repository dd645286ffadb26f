import { randomBytes } from 'node:crypto';

import { DEFAULT_MAX_DURATION_MINUTES, DEFAULT_MODEL, creditsPerStep } from '../document';
import type { JobScript } from '../types';
import type { Account } from './accounts';
import type { EventQueue, ScheduledEvent } from './EventQueue';
import { StatusSequence } from './StatusSequence';

const DEFAULT_STEPS = 4;
const MAX_PAUSE_MS = 6 * 3600 * 1000;
const FINAL_STATUSES = new Set(['completed', 'failed', 'user_taken_over', 'canceled', 'cancelled']);

/** The parameters of a job. */
export interface JobStart {
	account: Account;
	kind: 'agent' | 'workflow';
	directive: string;
	initialUrl?: string;
	/** The client's own browser; when absent, the service provisions one. */
	ownBrowser?: { cdpUrl: string; liveUrl?: string };
	model?: string;
	maxDurationMinutes?: number;
	workflowId?: string;
	inputs?: Record<string, string>;
	request: unknown;
	script: JobScript;
	/** Running time if the script does not set one. */
	defaultSeconds: number;
}

/** A job, up to date once due events have run. Times are sandbox time in ms since 1970. */
export class Job {
	readonly id = `job_${randomBytes(12).toString('hex')}`;
	/** Makes `cdp_url` carry a secret, as the address of a real browser does. */
	readonly cdpToken = randomBytes(12).toString('hex');
	readonly model: string;
	readonly steps: number;
	stepsDone = 0;
	creditsUsed = 0;
	polls = 0;
	pauses = 0;
	resumes = 0;
	updatedAt: number;
	endedAt: number | undefined;

	private currentStatus = 'running';
	/** Set when the service fails the job, whatever its script says. */
	private failureReason: string | undefined;
	private readonly durationMs: number;
	private readonly maxDurationMs: number;
	/** Running time until `runningSince`, without pauses. */
	private elapsedMs = 0;
	private runningSince: number;
	private nextEvent: ScheduledEvent | undefined;
	private scriptedStatuses: StatusSequence | undefined;
	/** Whether a request has paused the job or taken it over, which suspends the scripted statuses. */
	private isSuspended = false;

	constructor(
		readonly start: JobStart,
		readonly startedAt: number,
		private readonly events: EventQueue,
	) {
		const { script } = start;
		this.model = start.model ?? DEFAULT_MODEL;
		this.steps = script.steps ?? DEFAULT_STEPS;
		this.durationMs = (script.durationSeconds ?? start.defaultSeconds) * 1000;
		this.maxDurationMs = maxDurationMs(start);
		this.updatedAt = startedAt;
		this.runningSince = startedAt;
		if (script.statuses?.length) {
			this.scriptedStatuses = new StatusSequence(script.statuses, startedAt);
		} else {
			this.scheduleProgress(startedAt);
		}
	}

	status(now: number): string {
		return this.activeSequence?.status(now) ?? this.currentStatus;
	}

	isFinished(now: number): boolean {
		if (this.activeSequence) return FINAL_STATUSES.has(this.status(now));
		return this.endedAt !== undefined;
	}

	/** Returns the status and counts as a poll, which may move scripted statuses on. */
	poll(now: number): string {
		this.polls++;
		if (!this.activeSequence) return this.currentStatus;
		const status = this.activeSequence.poll(now);
		if (status !== this.currentStatus) this.setStatus(status, now);
		if (FINAL_STATUSES.has(status) && this.endedAt === undefined) {
			while (this.stepsDone < this.steps && this.chargeStep());
			this.endedAt = now;
		}
		return status;
	}

	/** Returns false and does nothing unless the job is running. */
	pause(now: number): boolean {
		if (this.status(now) !== 'running' || this.endedAt !== undefined) return false;
		this.pauses++;
		this.suspend('paused', now);
		this.schedule(now + MAX_PAUSE_MS, (at) => {
			this.fail('The job was paused for 6 hours and not resumed', at);
		});
		return true;
	}

	/** Returns false and does nothing unless the job is running or paused. */
	takeOver(now: number): boolean {
		if (!['running', 'paused'].includes(this.status(now)) || this.endedAt !== undefined)
			return false;
		this.suspend('user_taken_over', now);
		this.nextEvent?.cancel();
		return true;
	}

	/** Returns false and does nothing unless the job is paused or has been taken over. */
	resume(now: number): boolean {
		if (!this.isSuspended && this.status(now) !== 'paused') return false;
		if (this.endedAt !== undefined) return false;
		this.resumes++;
		this.isSuspended = false;
		this.nextEvent?.cancel();
		if (this.scriptedStatuses && !this.scriptedStatuses.isLast) {
			this.scriptedStatuses.moveToNext(now);
			this.setStatus(this.scriptedStatuses.status(now), now);
			return true;
		}
		this.scriptedStatuses = undefined;
		this.runningSince = now;
		this.setStatus('running', now);
		this.scheduleProgress(now);
		return true;
	}

	/** Returns the output of a finished job: the scripted one, or `getDefault()` when it completed. */
	output(now: number, getDefault: () => unknown): unknown {
		if (!this.isFinished(now) || this.failureReason !== undefined) return null;
		const { output } = this.start.script;
		if (output !== undefined) return output;
		return this.status(now) === 'completed' ? getDefault() : null;
	}

	/** Returns the error of a finished job: why the service failed it, or the scripted one. */
	error(now: number): string | null {
		if (!this.isFinished(now)) return null;
		const error = this.failureReason ?? this.start.script.error;
		if (error !== undefined) return error;
		return this.status(now) === 'failed' ? 'The agent could not carry out the directive' : null;
	}

	private get activeSequence(): StatusSequence | undefined {
		return this.isSuspended ? undefined : this.scriptedStatuses;
	}

	private suspend(status: string, now: number): void {
		if (!this.isSuspended && !this.scriptedStatuses) this.elapsedMs += now - this.runningSince;
		this.isSuspended = true;
		this.setStatus(status, now);
	}

	private scheduleProgress(now: number): void {
		const targetMs = Math.min(this.nextStepEndMs(), this.maxDurationMs);
		this.schedule(now + targetMs - this.elapsedMs, (at) => {
			this.elapsedMs = targetMs;
			this.runningSince = at;
			this.progress(at);
		});
	}

	private nextStepEndMs(): number {
		if (this.stepsDone >= this.steps) return this.durationMs;
		return (this.durationMs * (this.stepsDone + 1)) / this.steps;
	}

	private progress(at: number): void {
		if (this.stepsDone < this.steps && this.elapsedMs >= this.nextStepEndMs()) {
			if (!this.chargeStep()) return this.fail('The account ran out of credits', at);
			this.updatedAt = at;
		}
		if (this.stepsDone >= this.steps && this.elapsedMs >= this.durationMs) {
			return this.end(this.start.script.outcome ?? 'completed', at);
		}
		if (this.elapsedMs >= this.maxDurationMs && this.nextStepEndMs() > this.maxDurationMs) {
			return this.fail('The job reached its maximum duration', at);
		}
		this.scheduleProgress(at);
	}

	private chargeStep(): boolean {
		const price = creditsPerStep(this.model);
		if (!this.start.account.charge(price)) return false;
		this.stepsDone++;
		this.creditsUsed += price;
		return true;
	}

	private fail(reason: string, at: number): void {
		this.failureReason = reason;
		this.scriptedStatuses = undefined;
		this.end('failed', at);
	}

	private end(status: string, at: number): void {
		this.isSuspended = false;
		this.setStatus(status, at);
		this.endedAt = at;
	}

	private setStatus(status: string, at: number): void {
		this.currentStatus = status;
		this.updatedAt = at;
	}

	/** A job has at most one scheduled event. */
	private schedule(at: number, run: (at: number) => void): void {
		this.nextEvent?.cancel();
		this.nextEvent = this.events.schedule(at, run);
	}
}

// The document limits the sessions of browsers that the service provisions, but neither workflows
// nor the client's own browser.
function maxDurationMs({ kind, ownBrowser, maxDurationMinutes }: JobStart): number {
	if (kind === 'workflow' || ownBrowser) return Infinity;
	return (maxDurationMinutes ?? DEFAULT_MAX_DURATION_MINUTES) * 60_000;
}
