import type { Clock } from '../async/clock';
import type { RateLimiter, Turn } from '../service/RateLimiter';
import type { Job } from '../service/types';
import { plainIntervalMs } from './pollInterval';

/** A job that is waited for. Times are the clock's, in ms. */
export interface WaitingJob {
	jobId: string;
	/** When the job was started or, if that is unknown, when the wait began. */
	bornAt: number;
	/** Whether it was just started, so that there is nothing to see yet. */
	isNew: boolean;
	/** It is not polled more often, except once at its deadline. */
	minIntervalMs: number;
	deadline: number;
	/** Ends the wait when it is aborted. */
	signal: AbortSignal;
	poll(turn: Turn): Promise<Job>;
	/** A poll has brought this; returns whether the wait is over. */
	receive(job: Job): boolean;
	/** A poll has failed; returns the pause before the next one, or undefined if the wait is over. */
	fail(error: unknown): number | undefined;
	/** The wait has ended early. */
	end(reason: 'deadline' | 'aborted'): void;
}

interface Entry {
	job: WaitingJob;
	lastPollAt: number;
	/** Not polled before this time, after an error. */
	notBefore: number;
	isPolling: boolean;
	/** Spreads the polls of processes that began together. */
	jitter: number;
	/** Set once the deadline has passed: until then it may still get its last poll. */
	lastPollBy?: number;
}

const JITTER = 0.15;
const LAST_POLL_WITHIN_MS = 2_000;
const MAX_SLEEP_MS = 60_000;
// An overdue job comes after every job whose fair share is overdue.
const FAIR_SHARE_FIRST = 1e6;

/**
 * Polls all jobs that are waited for on one account. Whenever the rate limiter has a free status call,
 * it goes to the job that is most overdue: by the time since its last poll, in relation to the
 * interval that is worth having at its age. When there are more jobs than calls, none waits longer
 * than its fair share of the calls allows.
 */
export class PollScheduler {
	private readonly entries = new Set<Entry>();

	private readonly signals = new WeakSet<AbortSignal>();

	private isRunning = false;

	private isAcquiring = false;

	private wakeUp = new AbortController();

	constructor(
		private readonly limiter: Pick<RateLimiter, 'acquire' | 'callsPerMs'>,
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/** Adds a job; it is told when its wait is over. */
	add(job: WaitingJob): void {
		const lastPollAt = job.isNew ? job.bornAt : -Infinity;
		if (job.signal.aborted) {
			job.end('aborted');
			return;
		}
		const entry = { job, lastPollAt, notBefore: 0, isPolling: false, jitter: this.newJitter() };
		this.entries.add(entry);
		this.endOnAbort(job.signal);
		this.wakeUp.abort();
		void this.run();
	}

	private async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.entries.size > 0) {
			this.wakeUp = new AbortController();
			this.endLate();
			const dueInMs = this.msUntilDue();
			if (dueInMs <= 0 && !this.isAcquiring) void this.pollNext();
			const idleMs = this.isAcquiring ? Infinity : dueInMs;
			const sleepMs = Math.min(idleMs, this.msUntilDeadline(), MAX_SLEEP_MS);
			if (this.entries.size > 0) await this.clock.sleep(sleepMs, this.wakeUp.signal);
		}
		this.isRunning = false;
	}

	/** Takes the next free call, and only then chooses the job. */
	private async pollNext(): Promise<void> {
		this.isAcquiring = true;
		const turn = await this.limiter.acquire({ isPoll: true });
		this.isAcquiring = false;
		const entry = this.mostOverdue();
		if (entry === undefined) turn.cancel();
		else void this.poll(entry, turn);
		this.wakeUp.abort();
	}

	private async poll(entry: Entry, turn: Turn): Promise<void> {
		entry.isPolling = true;
		try {
			const job = await entry.job.poll(turn);
			for (const one of this.entries) if (one.job.jobId === job.job_id) this.receive(one, job);
		} catch (error) {
			this.fail(entry, error);
		}
		entry.isPolling = false;
		this.wakeUp.abort();
	}

	private receive(entry: Entry, job: Job): void {
		entry.lastPollAt = this.clock.now();
		entry.jitter = this.newJitter();
		entry.notBefore = 0;
		if (entry.job.receive(job)) this.entries.delete(entry);
		else this.endAfterLastPoll(entry);
	}

	private fail(entry: Entry, error: unknown): void {
		if (!this.entries.has(entry)) return;
		const now = this.clock.now();
		const pauseMs = entry.job.fail(error);
		entry.lastPollAt = now;
		if (pauseMs === undefined) this.entries.delete(entry);
		else entry.notBefore = now + pauseMs;
		this.endAfterLastPoll(entry);
	}

	private endAfterLastPoll(entry: Entry): void {
		if (entry.lastPollBy !== undefined) this.end(entry, 'deadline');
	}

	private endLate(): void {
		const now = this.clock.now();
		for (const entry of this.entries) {
			if (now < entry.job.deadline || entry.isPolling) continue;
			entry.lastPollBy ??= now + LAST_POLL_WITHIN_MS;
			if (now >= entry.lastPollBy) this.end(entry, 'deadline');
		}
	}

	private end(entry: Entry, reason: 'deadline' | 'aborted'): void {
		if (this.entries.delete(entry)) entry.job.end(reason);
	}

	// One listener for all jobs of a signal: Node.js warns of a leak from the eleventh one on.
	private endOnAbort(signal: AbortSignal): void {
		if (this.signals.has(signal)) return;
		this.signals.add(signal);
		const endAll = () => {
			for (const entry of this.entries) if (entry.job.signal === signal) this.end(entry, 'aborted');
			this.wakeUp.abort();
		};
		signal.addEventListener('abort', endAll, { once: true });
	}

	private msUntilDue(): number {
		const now = this.clock.now();
		let first = Infinity;
		for (const entry of this.entries) first = Math.min(first, this.dueAt(entry));
		return Math.max(0, first - now);
	}

	private msUntilDeadline(): number {
		let first = Infinity;
		for (const { job, lastPollBy, isPolling } of this.entries) {
			if (!isPolling) first = Math.min(first, lastPollBy ?? job.deadline);
		}
		return first - this.clock.now();
	}

	private dueAt(entry: Entry): number {
		if (entry.isPolling) return Infinity;
		if (entry.lastPollBy !== undefined) return 0;
		return Math.max(entry.lastPollAt + this.intervalMs(entry), entry.notBefore);
	}

	private intervalMs({ job, jitter }: Entry): number {
		const wantedMs = plainIntervalMs(this.clock.now() - job.bornAt) * jitter;
		return Math.max(wantedMs, job.minIntervalMs);
	}

	private mostOverdue(): Entry | undefined {
		const now = this.clock.now();
		const fairMs = this.entries.size / this.limiter.callsPerMs;
		let most: Entry | undefined;
		let mostOverdue = -Infinity;
		for (const entry of this.entries) {
			if (this.dueAt(entry) > now) continue;
			const overdue = this.overdue(entry, now, fairMs);
			if (most !== undefined && overdue <= mostOverdue) continue;
			most = entry;
			mostOverdue = overdue;
		}
		return most;
	}

	private overdue(entry: Entry, now: number, fairMs: number): number {
		if (entry.lastPollBy !== undefined) return Infinity;
		const sinceMs = now - entry.lastPollAt;
		if (sinceMs >= fairMs) return FAIR_SHARE_FIRST * (sinceMs / fairMs);
		return sinceMs / this.intervalMs(entry);
	}

	private newJitter(): number {
		return 1 + JITTER * (2 * this.random() - 1);
	}
}
