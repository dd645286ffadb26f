import { randomBytes } from 'node:crypto';

import type { Account } from '../../../api/Account';
import type * as api from '../../../api/backend';
import { DEFAULT_BROWSER_CONFIG, DEFAULT_MODEL, creditsPerStep } from '../../../api/document';
import { answer } from '../answers/answer';
import { sampleFiles } from '../answers/sampleFiles';
import { toJobFile } from '../answers/toJobFile';
import type { FileScript, JobScript } from '../types';
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

/** How far a job has come. Times are sandbox time in ms since 1970. */
interface Progress {
	/** The job's status, unless scripted statuses are left. */
	status: string;
	stepsDone: number;
	creditsUsed: number;
	polls: number;
	pauses: number;
	resumes: number;
	updatedAt: number;
	endedAt?: number;
	/** Set when the service fails the job, whatever its script says. */
	failureReason?: string;
	/** Running time until `runningSince`, without pauses. */
	elapsedMs: number;
	runningSince: number;
	/**
	 * Whether a request has paused the job or taken it over, which suspends the scripted statuses.
	 */
	isSuspended: boolean;
}

/** A job, up to date once due events have run. Times are sandbox time in ms since 1970. */
export class Job implements api.Job {
	readonly id = `job_${randomBytes(12).toString('hex')}`;
	/** Makes `cdp_url` carry a secret, as the address of a real browser does. */
	readonly cdpToken = randomBytes(12).toString('hex');
	readonly model: string;
	readonly steps: number;
	readonly progress: Progress;

	private readonly durationMs: number;
	private readonly maxDurationMs: number;
	private nextEvent: ScheduledEvent | undefined;
	private scriptedStatuses: StatusSequence | undefined;

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
		this.progress = {
			status: 'running',
			stepsDone: 0,
			creditsUsed: 0,
			polls: 0,
			pauses: 0,
			resumes: 0,
			updatedAt: startedAt,
			elapsedMs: 0,
			runningSince: startedAt,
			isSuspended: false,
		};
		if (script.statuses?.length) {
			this.scriptedStatuses = new StatusSequence(script.statuses, startedAt);
		}
		this.scheduleNext();
	}

	get account(): Account {
		return this.start.account;
	}

	get directive(): string {
		return this.start.directive;
	}

	get creditsUsed(): number {
		return this.progress.creditsUsed;
	}

	get updatedAt(): number {
		return this.progress.updatedAt;
	}

	get endedAt(): number | undefined {
		return this.progress.endedAt;
	}

	get pauses(): number {
		return this.progress.pauses;
	}

	status(now: number): string {
		return this.activeSequence?.status(now) ?? this.progress.status;
	}

	isFinished(now: number): boolean {
		if (this.activeSequence) return FINAL_STATUSES.has(this.status(now));
		return this.progress.endedAt !== undefined;
	}

	/** Returns the status and counts as a poll, which may move scripted statuses on. */
	poll(now: number): string {
		this.progress.polls++;
		if (!this.activeSequence) return this.progress.status;
		const status = this.activeSequence.poll(now);
		if (status !== this.progress.status) this.setStatus(status, now);
		if (FINAL_STATUSES.has(status) && this.progress.endedAt === undefined) {
			while (this.progress.stepsDone < this.steps && this.chargeStep());
			this.progress.endedAt = now;
		}
		return status;
	}

	/** Returns false and does nothing unless the job is running. */
	pause(now: number): boolean {
		if (this.status(now) !== 'running' || this.progress.endedAt !== undefined) return false;
		this.progress.pauses++;
		this.suspend('paused', now);
		return true;
	}

	/** Returns false and does nothing unless the job is running or paused. */
	takeOver(now: number): boolean {
		if (!['running', 'paused'].includes(this.status(now)) || this.progress.endedAt !== undefined)
			return false;
		this.suspend('user_taken_over', now);
		return true;
	}

	/** Returns false and does nothing unless the job is paused or has been taken over. */
	resume(now: number): boolean {
		if (!this.progress.isSuspended && this.status(now) !== 'paused') return false;
		if (this.progress.endedAt !== undefined) return false;
		this.progress.resumes++;
		this.progress.isSuspended = false;
		if (this.scriptedStatuses && !this.scriptedStatuses.isLast) {
			this.scriptedStatuses.moveToNext(now);
			this.setStatus(this.scriptedStatuses.status(now), now);
		} else {
			this.scriptedStatuses = undefined;
			this.progress.runningSince = now;
			this.setStatus('running', now);
		}
		this.scheduleNext();
		return true;
	}

	/** Returns the output of a finished job: the scripted one, or an answer when it completed. */
	output(now: number): unknown {
		if (!this.isFinished(now) || this.progress.failureReason !== undefined) return null;
		const { output } = this.start.script;
		if (output !== undefined) return output;
		if (this.status(now) !== 'completed') return null;
		return answer(this.directive, this.start.initialUrl);
	}

	/** Returns the error of a finished job: why the service failed it, or the scripted one. */
	error(now: number): string | null {
		if (!this.isFinished(now)) return null;
		const error = this.progress.failureReason ?? this.start.script.error;
		if (error !== undefined) return error;
		return this.status(now) === 'failed' ? 'The agent could not carry out the directive' : null;
	}

	files(now: number): api.JobFile[] {
		return this.fileScripts(now).map(toJobFile);
	}

	/** The admin API serves as the web platform. */
	links(url: string): api.JobLinks {
		const { ownBrowser } = this.start;
		const jobUrl = `${url}/_sandbox/jobs/${this.id}`;
		return {
			live_url: ownBrowser ? (ownBrowser.liveUrl ?? null) : `${jobUrl}/live`,
			cdp_url: ownBrowser?.cdpUrl ?? `wss://cdp.sandbox.invalid/${this.id}?token=${this.cdpToken}`,
			history_url: `${jobUrl}/history`,
		};
	}

	private fileScripts(now: number): FileScript[] {
		if (!this.isFinished(now)) return [];
		const { files } = this.start.script;
		if (files !== undefined) return files;
		return this.status(now) === 'completed' ? sampleFiles(this.directive) : [];
	}

	private get activeSequence(): StatusSequence | undefined {
		return this.progress.isSuspended ? undefined : this.scriptedStatuses;
	}

	private suspend(status: string, now: number): void {
		if (!this.progress.isSuspended && !this.scriptedStatuses)
			this.progress.elapsedMs += now - this.progress.runningSince;
		this.progress.isSuspended = true;
		this.setStatus(status, now);
		this.scheduleNext();
	}

	/** Schedules what will happen to the job if nothing else does: at most one event at a time. */
	private scheduleNext(): void {
		this.nextEvent?.cancel();
		if (this.progress.endedAt !== undefined) return;
		if (this.progress.isSuspended) {
			if (this.progress.status === 'paused') this.scheduleEndOfPause();
		} else if (!this.scriptedStatuses) {
			this.scheduleProgress();
		}
	}

	private scheduleEndOfPause(): void {
		const pausedAt = this.progress.updatedAt;
		this.nextEvent = this.events.schedule(pausedAt + MAX_PAUSE_MS, (at) => {
			this.fail('The job was paused for 6 hours and not resumed', at);
		});
	}

	private scheduleProgress(): void {
		const targetMs = Math.min(this.nextStepEndMs(), this.maxDurationMs);
		this.nextEvent = this.events.schedule(
			this.progress.runningSince + targetMs - this.progress.elapsedMs,
			(at) => {
				this.progress.elapsedMs = targetMs;
				this.progress.runningSince = at;
				this.makeProgress(at);
			},
		);
	}

	private nextStepEndMs(): number {
		if (this.progress.stepsDone >= this.steps) return this.durationMs;
		return (this.durationMs * (this.progress.stepsDone + 1)) / this.steps;
	}

	private makeProgress(at: number): void {
		if (this.progress.stepsDone < this.steps && this.progress.elapsedMs >= this.nextStepEndMs()) {
			if (!this.chargeStep()) return this.fail('The account ran out of credits', at);
			this.progress.updatedAt = at;
		}
		if (this.progress.stepsDone >= this.steps && this.progress.elapsedMs >= this.durationMs) {
			return this.end(this.start.script.outcome ?? 'completed', at);
		}
		if (
			this.progress.elapsedMs >= this.maxDurationMs &&
			this.nextStepEndMs() > this.maxDurationMs
		) {
			return this.fail('The job reached its maximum duration', at);
		}
		this.scheduleNext();
	}

	private chargeStep(): boolean {
		const price = creditsPerStep(this.model);
		if (!this.start.account.charge(price)) return false;
		this.progress.stepsDone++;
		this.progress.creditsUsed += price;
		return true;
	}

	private fail(reason: string, at: number): void {
		this.progress.failureReason = reason;
		this.scriptedStatuses = undefined;
		this.end('failed', at);
	}

	private end(status: string, at: number): void {
		this.progress.isSuspended = false;
		this.setStatus(status, at);
		this.progress.endedAt = at;
	}

	private setStatus(status: string, at: number): void {
		this.progress.status = status;
		this.progress.updatedAt = at;
	}
}

// The document limits the sessions of browsers that the service provisions, but neither workflows
// nor the client's own browser.
function maxDurationMs({ kind, ownBrowser, maxDurationMinutes }: JobStart): number {
	if (kind === 'workflow' || ownBrowser) return Infinity;
	return (maxDurationMinutes ?? DEFAULT_BROWSER_CONFIG.maxDurationMinutes) * 60_000;
}
