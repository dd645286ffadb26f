import type { Clock } from '../async/clock';
import type { RateLimiter } from '../service/RateLimiter';
import type { DurationHistory } from './DurationHistory';
import { learnedIntervalMs, plainIntervalMs, windowMs } from './pollInterval';
import type { WaitEntry } from './WaitingJob';

/** A job that may be polled, and when: 0 is now. */
export interface Candidate {
	entry?: WaitEntry;
	dueInMs: number;
	/** Which of several that are due comes first: the one with most. */
	overdue: number;
}

/** The calls that the rate limiter has now for all jobs together. */
interface Supply {
	now: number;
	freeCalls: number;
	allowedCalls: number;
	/** Until every job has had its turn. */
	fairMs: number;
}

// What polls beyond the pace leave of a minute's calls: to what users ask for, and to likely ends.
const RESERVED_SHARE = 1 / 12;
const RESERVED_SHARE_AT_FIRST = 1 / 2;
// How far the pace may catch up, in polls.
const MAX_CATCH_UP = 3;
const FAIR_TURN_FIRST = 1e6;
const NONE: Candidate = { dueInMs: Infinity, overdue: -Infinity };

/**
 * Decides which of the waiting jobs is polled next: the one that is most overdue, by the time since its
 * last poll in relation to the interval that is worth having at its age. Polls are paced evenly, so
 * that the calls of a minute are not used up in its first seconds; what is spare goes to jobs that are
 * likely to end right now.
 */
export class PollPlan {
	/** When the next poll may come that is not beyond the pace. */
	private nextPacedAt = 0;

	/** How many jobs are likely to end now. */
	private likelyEnds = 0;

	constructor(
		private readonly limiter: Pick<RateLimiter, 'callsPerMs' | 'freeCalls' | 'allowedCalls'>,
		private readonly history: DurationHistory,
		private readonly clock: Clock,
	) {}

	/** The most overdue of the jobs that may be polled now or, if there is none, the first one to come. */
	choose(entries: Set<WaitEntry>): Candidate {
		const { freeCalls, allowedCalls, callsPerMs } = this.limiter;
		const now = this.clock.now();
		const supply = { now, freeCalls, allowedCalls, fairMs: entries.size / callsPerMs };
		let first = NONE;
		let likelyEnds = 0;
		for (const entry of entries) {
			if (entry.isPolling) continue;
			const candidate = this.rate(entry, supply);
			if (candidate.isLikely) likelyEnds++;
			if (comesBefore(candidate, first)) first = candidate;
		}
		this.likelyEnds = likelyEnds;
		return first;
	}

	/** To be called when the chosen job is polled. */
	noteTurn(): void {
		const now = this.clock.now();
		if (now < this.nextPacedAt) return;
		const msPerCall = 1 / this.limiter.callsPerMs;
		this.nextPacedAt = Math.max(this.nextPacedAt, now - MAX_CATCH_UP * msPerCall) + msPerCall;
	}

	private rate(entry: WaitEntry, supply: Supply) {
		const { job, lastPollAt, lastPollBy, notBefore } = entry;
		const { now, freeCalls, allowedCalls, fairMs } = supply;
		const isLast = lastPollBy !== undefined;
		const { intervalMs, wantedMs, isLikely } = this.intervals(entry, supply);
		const isFirst = lastPollAt === -Infinity && freeCalls >= allowedCalls * RESERVED_SHARE_AT_FIRST;
		const hasSpare = freeCalls >= allowedCalls * RESERVED_SHARE;
		const isSpare = isFirst || ((isLikely || isLast) && hasSpare);
		const pacedAt = isSpare ? 0 : this.nextPacedAt;
		const wantedAt = isLast ? 0 : Math.max(lastPollAt + wantedMs, notBefore);
		const dueInMs = Math.max(0, Math.max(wantedAt, pacedAt) - now);
		const sinceMs = now - lastPollAt;
		const isFairTurn = sinceMs >= Math.max(fairMs, job.minIntervalMs);
		const overdue = sinceMs / (isFairTurn ? fairMs / FAIR_TURN_FIRST : intervalMs);
		return { entry, dueInMs, overdue: isLast ? Infinity : overdue, isLikely };
	}

	/**
	 * What a job's interval should be at its age, and the one that it waits for: where ends are unlikely
	 * it is polled no later than its fair turn comes, so that a wrong prediction costs nothing.
	 */
	private intervals({ job, jitter }: WaitEntry, { now, fairMs, freeCalls }: Supply) {
		const ageMs = now - job.bornAt;
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
}

function comesBefore(one: Candidate, other: Candidate): boolean {
	if (one.dueInMs > 0) return one.dueInMs < other.dueInMs;
	return other.dueInMs > 0 || one.overdue > other.overdue;
}
