import type { Clock } from '../async/clock';
import type { RateLimiter, Turn } from '../service/RateLimiter';
import type { Job } from '../service/types';
import { DurationHistory } from './DurationHistory';
import { jobDurationMs } from './jobDuration';
import { PollPlan } from './PollPlan';
import { isFinal } from './status';
import type { WaitEntry, WaitingJob } from './WaitingJob';

const JITTER = 0.15;
const LAST_POLL_WITHIN_MS = 2_000;
const MAX_SLEEP_MS = 60_000;
const RECHECK_MS = 100;
const MAX_RECENT_ENDS = 100;
const MAX_CHARACTERS_KEPT = 20_000;

/**
 * Polls all jobs that are waited for on one account. Whenever the rate limiter has a free status call,
 * it goes to the job that is most overdue.
 */
export class PollScheduler {
	private readonly entries = new Set<WaitEntry>();

	private readonly signals = new WeakSet<AbortSignal>();

	private readonly history = new DurationHistory();

	/** Jobs whose final status was seen, for waits that begin later. */
	private readonly recentEnds = new Map<string, Job>();

	private readonly plan: PollPlan;

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
	) {
		this.plan = new PollPlan(limiter, this.history, clock);
	}

	/** Adds a job, whose methods are called with what its polls bring and when its wait ends. */
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
			const lateInMs = this.endLate();
			const dueInMs = this.isAcquiring ? Infinity : this.plan.choose(this.entries).dueInMs;
			if (dueInMs === 0) void this.pollNext();
			const sleepMs = dueInMs === 0 ? lateInMs : Math.min(dueInMs, lateInMs);
			await this.clock.sleep(sleepMs, this.wakeUp.signal);
		}
		this.isRunning = false;
	}

	/** Takes the next free call, and only then chooses the job. */
	private async pollNext(): Promise<void> {
		this.isAcquiring = true;
		const turn = await this.limiter.acquire({ isPoll: true });
		const { entry, dueInMs } = this.plan.choose(this.entries);
		if (entry !== undefined && dueInMs === 0) {
			this.plan.noteTurn();
			void this.poll(entry, turn);
		} else {
			turn.cancel();
			await this.clock.sleep(RECHECK_MS);
		}
		this.isAcquiring = false;
		this.wakeUp.abort();
	}

	private async poll(entry: WaitEntry, turn: Turn): Promise<void> {
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

	private receive(entry: WaitEntry, received: Job): void {
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

	private fail(entry: WaitEntry, error: unknown): void {
		if (!this.entries.has(entry)) return;
		const now = this.clock.now();
		const pauseMs = entry.job.fail(error);
		entry.lastPollAt = now;
		if (pauseMs === undefined) this.entries.delete(entry);
		else entry.notBefore = now + pauseMs;
		this.endAfterLastPoll(entry);
	}

	private remember(job: Job): void {
		// A response may be as large as the client allows.
		if (!isFinal(job) || JSON.stringify(job.body).length > MAX_CHARACTERS_KEPT) return;
		this.recentEnds.set(job.job_id, job);
		const [oldest] = this.recentEnds.keys();
		if (this.recentEnds.size > MAX_RECENT_ENDS) this.recentEnds.delete(oldest ?? '');
	}

	private endAfterLastPoll(entry: WaitEntry): void {
		if (entry.lastPollBy !== undefined) this.end(entry, 'deadline');
	}

	/** Ends the waits whose deadline has passed; returns the time until the next deadline. */
	private endLate(): number {
		const now = this.clock.now();
		let first = now + MAX_SLEEP_MS;
		for (const entry of this.entries) {
			if (entry.isPolling) continue;
			if (now >= entry.job.deadline) entry.lastPollBy ??= now + LAST_POLL_WITHIN_MS;
			const endsAt = entry.lastPollBy ?? entry.job.deadline;
			if (now >= endsAt) this.end(entry, 'deadline');
			else first = Math.min(first, endsAt);
		}
		return first - now;
	}

	private end(entry: WaitEntry, reason: 'deadline' | 'aborted'): void {
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

	private newJitter(): number {
		return 1 + JITTER * (2 * this.random() - 1);
	}
}
