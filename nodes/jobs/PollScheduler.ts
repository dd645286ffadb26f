import type { Clock } from '../async/clock';
import type { Permit, RateLimiter } from '../service/RateLimiter';
import { choosePoll, type WaitEntry, type WaitingJob } from './pollPlan';

const FINAL_POLL_WITHIN_MS = 2_000;

/** Polls all jobs that are waited for on one account. A free call goes to the job that is due first. */
export class PollScheduler {
	private readonly entries = new Set<WaitEntry>();

	private readonly signals = new WeakSet<AbortSignal>();

	private isRunning = false;

	private wakeUp = new AbortController();

	constructor(
		private readonly limiter: RateLimiter,
		private readonly clock: Clock,
		private readonly random: () => number = Math.random,
	) {}

	/** Polls a job from now on, until its wait is over. */
	add(job: WaitingJob): void {
		if (job.signal.aborted) return job.end('aborted');
		const { seenAt: lastPollAt } = job;
		this.entries.add({ job, lastPollAt, pauseMs: 0, isPolling: false, jitter: this.newJitter() });
		this.endOnAbort(job.signal);
		this.wakeUp.abort();
		void this.run();
	}

	private async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.entries.size > 0) {
			this.wakeUp = new AbortController();
			const nextDeadline = this.expireOverdue();
			const now = this.clock.now();
			const { dueAt } = choosePoll(this.entries, this.limiter, now);
			if (dueAt <= now) await this.pollNext(nextDeadline);
			else await this.clock.sleep(Math.min(dueAt, nextDeadline) - now, this.wakeUp.signal);
		}
		this.isRunning = false;
	}

	/** Acquires the next free call, and only then chooses the job: until then, others may come. */
	private async pollNext(deadline: number): Promise<void> {
		// At the deadline, there is a wait to end first.
		const permit = await this.limiter.acquire({ deadline }).catch(() => {});
		if (!permit) return;
		const now = this.clock.now();
		const { entry, dueAt } = choosePoll(this.entries, this.limiter, now, 1);
		if (entry !== undefined && dueAt <= now) void this.poll(entry, permit);
		else permit.cancel();
	}

	private async poll(entry: WaitEntry, permit: Permit): Promise<void> {
		const isFinal = this.clock.now() >= entry.job.deadline;
		entry.isPolling = true;
		const pauseMs = await entry.job.poll(permit);
		entry.isPolling = false;
		entry.lastPollAt = this.clock.now();
		entry.pauseMs = pauseMs ?? 0;
		entry.jitter = this.newJitter();
		if (pauseMs === undefined) this.entries.delete(entry);
		else if (isFinal) this.end(entry, 'deadline');
		this.wakeUp.abort();
	}

	/** Ends the waits that have got no last poll in time; returns when the next one has to be ended. */
	private expireOverdue(): number {
		const now = this.clock.now();
		let first = Infinity;
		for (const entry of this.entries) {
			if (entry.isPolling) continue;
			const { deadline } = entry.job;
			const finalPollDeadline = deadline + FINAL_POLL_WITHIN_MS;
			if (now >= finalPollDeadline) this.end(entry, 'deadline');
			else first = Math.min(first, now < deadline ? deadline : finalPollDeadline);
		}
		return first;
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
		return 2 * this.random() - 1;
	}
}
