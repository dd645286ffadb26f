import { randomBytes } from 'node:crypto';

import type { Account } from './accounts';
import type { EventQueue, ScheduledEvent } from './EventQueue';
import type { ScaledClock } from './ScaledClock';
import { DEFAULT_MAX_DURATION_MINUTES, DEFAULT_MODEL, creditsPerStep } from '../document';
import { StatusScript } from './StatusSequence';
import type { FileScript, JobScript } from '../types';

const DEFAULT_STEPS = 4;
const PAUSE_LIMIT_MS = 6 * 3600 * 1000;
const ENDS = new Set(['completed', 'failed', 'user_taken_over', 'canceled', 'cancelled']);

/** What a job is started with. */
export interface JobStart {
	account: Account;
	kind: 'agent' | 'workflow';
	directive: string;
	initialUrl?: string;
	/** The client's own browser; without it, the service provisions one. */
	ownBrowser?: { cdpUrl: string; liveUrl?: string };
	model?: string;
	maxDurationMinutes?: number;
	workflowId?: string;
	inputs?: Record<string, string>;
	/** The body of the request. */
	request: unknown;
	script: JobScript;
	/** The running time when the script does not say. */
	defaultSeconds: number;
}

/**
 * One job and its states. Its steps, its end and the 6-hour rule are scheduled events, so it is up to
 * date once the event queue has run. All times are sandbox time in milliseconds since 1970.
 */
export class Job {
	readonly id = `job_${randomBytes(12).toString('hex')}`;
	/** As an address of a real browser would hold one. */
	readonly cdpToken = randomBytes(12).toString('hex');
	readonly model: string;
	stepsDone = 0;
	creditsUsed = 0;
	polls = 0;
	pauses = 0;
	resumes = 0;
	updatedAt: number;
	endedAt: number | undefined;
	/** The same moments in real time. */
	readonly startedAtRealMs: number;
	endedAtRealMs: number | undefined;

	private state = 'running';
	/** Why it failed, when its script has no part in that. */
	private failure: string | undefined;
	private readonly steps: number;
	private readonly durationMs: number;
	private readonly maxDurationMs: number;
	/** How long it had run at `runningSince`. */
	private ranMs = 0;
	private runningSince: number;
	private next: ScheduledEvent | undefined;
	private statuses: StatusScript | undefined;
	/** Paused by a call. A script of statuses waits meanwhile. */
	private isHeld = false;

	constructor(
		readonly start: JobStart,
		readonly startedAt: number,
		private readonly world: { events: EventQueue; clock: ScaledClock },
	) {
		const { script } = start;
		this.model = start.model ?? DEFAULT_MODEL;
		this.steps = script.steps ?? DEFAULT_STEPS;
		this.durationMs = (script.durationSeconds ?? start.defaultSeconds) * 1000;
		this.maxDurationMs = maxDurationMs(start);
		this.startedAtRealMs = world.clock.toReal(startedAt);
		this.updatedAt = startedAt;
		this.runningSince = startedAt;
		if (script.statuses?.length) this.statuses = new StatusScript(script.statuses, startedAt);
		else this.planNext(startedAt);
	}

	status(now: number): string {
		return this.statuses && !this.isHeld ? this.statuses.status(now) : this.state;
	}

	isFinished(now: number): boolean {
		return this.statuses ? ENDS.has(this.status(now)) : this.endedAt !== undefined;
	}

	/** The status as a poll sees it, which moves a script of statuses on. */
	look(now: number): string {
		this.polls++;
		if (!this.statuses || this.isHeld) return this.state;
		const status = this.statuses.look(now);
		if (status !== this.state) this.become(status, now);
		if (ENDS.has(status) && this.endedAt === undefined) {
			while (this.stepsDone < this.steps && this.payStep());
			this.noteEnd(now);
		}
		return status;
	}

	/** Tells whether the job was running, which a pause needs. */
	pause(now: number): boolean {
		if (this.status(now) !== 'running' || this.endedAt !== undefined) return false;
		this.pauses++;
		this.isHeld = true;
		if (!this.statuses) this.ranMs += now - this.runningSince;
		this.become('paused', now);
		this.plan(now + PAUSE_LIMIT_MS, (at) => {
			this.fail('The job was paused for 6 hours and not resumed', at);
		});
		return true;
	}

	/** Tells whether the job was paused, which a resume needs. */
	resume(now: number): boolean {
		if (this.status(now) !== 'paused' || this.endedAt !== undefined) return false;
		this.resumes++;
		this.isHeld = false;
		this.next?.cancel();
		if (this.statuses && !this.statuses.isLast) {
			this.statuses.skip(now);
			this.become(this.statuses.status(now), now);
			return true;
		}
		this.statuses = undefined;
		this.runningSince = now;
		this.become('running', now);
		this.planNext(now);
		return true;
	}

	/** What it found, once it has completed, or whatever its script says, once it has ended. */
	output(now: number, byDefault: () => unknown): unknown {
		if (!this.isFinished(now) || this.failure !== undefined) return null;
		const { output } = this.start.script;
		if (output !== undefined) return output;
		return this.status(now) === 'completed' ? byDefault() : null;
	}

	error(now: number): string | null {
		if (!this.isFinished(now)) return null;
		const scripted = this.failure ?? this.start.script.error;
		if (scripted !== undefined) return scripted;
		return this.status(now) === 'failed' ? 'The agent could not carry out the directive' : null;
	}

	get files(): FileScript[] {
		return this.start.script.files ?? [];
	}

	/** Schedules the end of the next step, or the end of the job. */
	private planNext(now: number): void {
		const goal = Math.min(this.nextStepMs(), this.maxDurationMs);
		this.plan(now + goal - this.ranMs, (at) => {
			this.ranMs = goal;
			this.runningSince = at;
			this.goOn(at);
		});
	}

	/** How long it has run when the present step is done; without steps, when the job is. */
	private nextStepMs(): number {
		if (this.stepsDone >= this.steps) return this.durationMs;
		return (this.durationMs * (this.stepsDone + 1)) / this.steps;
	}

	private goOn(at: number): void {
		if (this.stepsDone < this.steps && this.ranMs >= this.nextStepMs()) {
			if (!this.payStep()) return this.fail('The account ran out of credits', at);
			this.updatedAt = at;
		}
		if (this.stepsDone >= this.steps && this.ranMs >= this.durationMs) {
			return this.end(this.start.script.outcome ?? 'completed', at);
		}
		if (this.ranMs >= this.maxDurationMs && this.nextStepMs() > this.maxDurationMs) {
			return this.fail('The job reached its maximum duration', at);
		}
		this.planNext(at);
	}

	private payStep(): boolean {
		const price = creditsPerStep(this.model);
		if (!this.start.account.pay(price)) return false;
		this.stepsDone++;
		this.creditsUsed += price;
		return true;
	}

	private fail(reason: string, at: number): void {
		this.failure = reason;
		this.statuses = undefined;
		this.end('failed', at);
	}

	private end(status: string, at: number): void {
		this.isHeld = false;
		this.become(status, at);
		this.noteEnd(at);
	}

	private noteEnd(at: number): void {
		this.endedAt = at;
		this.endedAtRealMs = this.world.clock.toReal(at);
	}

	private become(status: string, at: number): void {
		this.state = status;
		this.updatedAt = at;
	}

	private plan(at: number, run: (at: number) => void): void {
		this.next?.cancel();
		this.next = this.world.events.schedule(at, run);
	}
}

/** The service's own browsers end a session; nothing is said of workflows and of own browsers. */
function maxDurationMs({ kind, ownBrowser, maxDurationMinutes }: JobStart): number {
	if (kind === 'workflow' || ownBrowser) return Infinity;
	return (maxDurationMinutes ?? DEFAULT_MAX_DURATION_MINUTES) * 60_000;
}
