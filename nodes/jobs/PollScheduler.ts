import type { Clock } from '../async/clock';
import type { RateLimiter, Turn } from '../service/RateLimiter';
import type { Job } from '../service/types';
import { DurationHistory, type JobKinds } from './DurationHistory';
import { jobDurationMs } from './jobDuration';
import { learnedIntervalMs, plainIntervalMs, windowMs } from './pollInterval';
import { isFinal } from './status';

/** A job that is waited for. Times are the clock's, in ms. */
export interface WaitingJob {
	jobId: string;
	/** What it is an example of, for its likely duration. */
	kinds: JobKinds;
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

/** Which job is polled next, and when: 0 is now. */
interface Choice {
	entry?: Entry;
	dueInMs: number;
}

const JITTER = 0.15;
const LAST_POLL_WITHIN_MS = 2_000;
const MAX_SLEEP_MS = 60_000;
const RECHECK_MS = 100;
// What polls beyond the pace leave of a minute's calls: to what users ask for, and to likely ends.
const RESERVED_SHARE = 1 / 12;
const RESERVED_SHARE_AT_FIRST = 1 / 2;
// How far the pace may catch up, in polls.
const MAX_CATCH_UP = 3;
const FAIR_TURN_FIRST = 1e6;
const MAX_RECENT_ENDS = 100;
const MAX_CHARACTERS_KEPT = 20_000;

/**
 * Polls all jobs that are waited for on one account. Whenever the rate limiter has a free status call,
 * it goes to the job that is most overdue: by the time since its last poll, in relation to the
 * interval that is worth having at its age. Polls are paced evenly, so that the calls of a minute are
 * not used up in its first seconds; what is spare goes to jobs that are likely to end right now.
 */
export class PollScheduler {
	private readonly entries = new Set<Entry>();

	private readonly signals = new WeakSet<AbortSignal>();

	private readonly history = new DurationHistory();

	/** Jobs whose final status was seen, for waits that begin later. */
	private readonly recentEnds = new Map<string, Job>();

	/** When the next poll may come that is not beyond the pace. */
	private nextPacedAt = 0;

	/** How many jobs are likely to end now. */
	private likelyEnds = 0;

	private isRunning = false;

	private isAcquiring = false;

	private wakeUp = new AbortController();

	constructor(
		private readonly limiter: Pick<
			RateLimiter,
			'acquire' | 'callsPerMs' | 'freeCalls' | 'allowedCalls'
		>,
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/** Adds a job; it is told when its wait is over. */
	add(job: WaitingJob): void {
		const known = this.recentEnds.get(job.jobId);
		if (job.signal.aborted) return job.end('aborted');
		if (known !== undefined && job.receive(known)) return;

		const lastPollAt = job.isNew ? job.bornAt : -Infinity;
		this.entries.add({ job, lastPollAt, notBefore: 0, isPolling: false, jitter: this.newJitter() });
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
			const { dueInMs } = this.choose();
			if (dueInMs === 0 && !this.isAcquiring) void this.pollNext();
			const sleepMs = Math.min(this.msUntilDeadline(), this.isAcquiring ? Infinity : dueInMs);
			await this.clock.sleep(Math.min(sleepMs, MAX_SLEEP_MS), this.wakeUp.signal);
		}
		this.isRunning = false;
	}

	/** Takes the next free call, and only then chooses the job. */
	private async pollNext(): Promise<void> {
		this.isAcquiring = true;
		const turn = await this.limiter.acquire({ isPoll: true });
		const { entry, dueInMs } = this.choose();
		if (entry !== undefined && dueInMs === 0) {
			this.keepPace();
			void this.poll(entry, turn);
		} else {
			turn.cancel();
			await this.clock.sleep(RECHECK_MS);
		}
		this.isAcquiring = false;
		this.wakeUp.abort();
	}

	private async poll(entry: Entry, turn: Turn): Promise<void> {
		entry.isPolling = true;
		try {
			const job = await entry.job.poll(turn);
			this.remember(job);
			for (const one of this.entries) if (one.job.jobId === job.job_id) this.receive(one, job);
		} catch (error) {
			this.fail(entry, error);
		}
		entry.isPolling = false;
		this.wakeUp.abort();
	}

	private receive(entry: Entry, received: Job): void {
		const { job } = entry;
		const now = this.clock.now();
		const ageMs = now - job.bornAt;
		if (isFinal(received)) this.history.add(job.kinds, jobDurationMs(received, ageMs) ?? ageMs);
		entry.lastPollAt = now;
		entry.jitter = this.newJitter();
		entry.notBefore = 0;
		if (job.receive(received)) this.entries.delete(entry);
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

	private remember(job: Job): void {
		const { output = '' } = job;
		if (!isFinal(job) || typeof output !== 'string' || output.length > MAX_CHARACTERS_KEPT) return;
		this.recentEnds.set(job.job_id, job);
		const [oldest] = this.recentEnds.keys();
		if (this.recentEnds.size > MAX_RECENT_ENDS) this.recentEnds.delete(oldest ?? '');
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

	private msUntilDeadline(): number {
		let first = Infinity;
		for (const { job, lastPollBy, isPolling } of this.entries) {
			if (!isPolling) first = Math.min(first, lastPollBy ?? job.deadline);
		}
		return first - this.clock.now();
	}

	/** The most overdue of the jobs that may be polled now or, if there is none, the time until then. */
	private choose(): Choice {
		const now = this.clock.now();
		const { freeCalls, allowedCalls, callsPerMs } = this.limiter;
		const fairMs = this.entries.size / callsPerMs;
		const hasSpare = freeCalls >= allowedCalls * RESERVED_SHARE;
		const choice: Choice = { dueInMs: Infinity };
		let mostOverdue = -Infinity;
		let likelyEnds = 0;
		for (const entry of this.entries) {
			if (entry.isPolling) continue;
			const { job, lastPollAt, lastPollBy } = entry;
			const isLast = lastPollBy !== undefined;
			const { intervalMs, wantedMs, isLikely } = this.intervals(entry, fairMs, freeCalls);
			if (isLikely) likelyEnds++;
			const isFirst =
				lastPollAt === -Infinity && freeCalls >= allowedCalls * RESERVED_SHARE_AT_FIRST;
			const isSpare = isFirst || ((isLikely || isLast) && hasSpare);
			const pacedAt = isSpare ? 0 : this.nextPacedAt;
			const wantedAt = isLast ? 0 : Math.max(lastPollAt + wantedMs, entry.notBefore);
			const dueInMs = Math.max(0, Math.max(wantedAt, pacedAt) - now);
			const sinceMs = now - lastPollAt;
			const isFairTurn = sinceMs >= Math.max(fairMs, job.minIntervalMs);
			const overdue = isLast
				? Infinity
				: sinceMs / (isFairTurn ? fairMs / FAIR_TURN_FIRST : intervalMs);
			const isBetter = dueInMs === 0 && (choice.dueInMs > 0 || overdue > mostOverdue);
			if (!isBetter && (choice.dueInMs === 0 || dueInMs >= choice.dueInMs)) continue;
			choice.entry = entry;
			choice.dueInMs = dueInMs;
			mostOverdue = overdue;
		}
		this.likelyEnds = likelyEnds;
		return choice;
	}

	/**
	 * What a job's interval should be at its age, and the one that it waits for: where ends are unlikely
	 * it is polled no later than its fair turn comes, so that a wrong prediction costs nothing.
	 */
	private intervals({ job, jitter }: Entry, fairMs: number, freeCalls: number) {
		const ageMs = this.clock.now() - job.bornAt;
		const plainMs = plainIntervalMs(ageMs);
		const outlook = this.history.outlook(job.kinds, ageMs, windowMs(ageMs));
		const learnedMs = learnedIntervalMs(ageMs, outlook);
		const isLikely = learnedMs < plainMs;
		// Several jobs that are likely to end share the spare calls.
		const shareMs = isLikely ? (this.likelyEnds * windowMs(ageMs)) / (2 * freeCalls + 2) : 0;
		const intervalMs = Math.max(learnedMs, shareMs) * jitter;
		const latestMs = Math.max(plainMs * jitter, fairMs);
		const wantedMs = Math.max(Math.min(intervalMs, latestMs), job.minIntervalMs);
		return { intervalMs, wantedMs, isLikely };
	}

	private keepPace(): void {
		const msPerCall = 1 / this.limiter.callsPerMs;
		const earliest = this.clock.now() - MAX_CATCH_UP * msPerCall;
		if (this.clock.now() < this.nextPacedAt) return;
		this.nextPacedAt = Math.max(this.nextPacedAt, earliest) + msPerCall;
	}

	private newJitter(): number {
		return 1 + JITTER * (2 * this.random() - 1);
	}
}
