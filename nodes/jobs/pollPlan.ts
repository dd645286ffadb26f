import type { RateLimiter } from '../service/RateLimiter';
import { ownIntervalMs } from './pollInterval';
import type { WaitEntry } from './WaitingJob';

// Processes that began together don't poll together. A fair turn is spread less: it is the same for all.
const OWN_JITTER = 0.15;
const FAIR_JITTER = 0.05;

/** The job that is due first, and the clock's time at which it is; without a job: never. */
export interface NextPoll {
	entry?: WaitEntry;
	dueAt: number;
}

/**
 * Chooses the job that is polled next. A job is due again after the interval that is worth having at its
 * age or, if that is longer, when its fair turn among all waiting jobs comes: a full turn when no calls
 * are free, none at all while all of them are. A last poll at a deadline comes before all others.
 * `freeCalls` are the calls that may be sent at once.
 */
export function choosePoll(
	entries: ReadonlySet<WaitEntry>,
	{ callsPerMs, allowedCalls }: Pick<RateLimiter, 'callsPerMs' | 'allowedCalls'>,
	freeCalls: number,
	now: number,
): NextPoll {
	const fairMs = (entries.size / callsPerMs) * (1 - freeCalls / allowedCalls);
	let next: NextPoll = { dueAt: Infinity };
	for (const entry of entries) {
		if (entry.isPolling) continue;
		const dueAt = dueTime(entry, fairMs, now);
		if (dueAt < next.dueAt) next = { entry, dueAt };
	}
	return next;
}

function dueTime(entry: WaitEntry, fairMs: number, now: number): number {
	const { job, lastPollAt, notBefore, jitter } = entry;
	if (now >= job.deadline) return -Infinity;
	if (lastPollAt === undefined) return job.waitBegan;
	const ownMs = ownIntervalMs(now - (job.startedAt ?? job.waitBegan));
	const ownTurnMs = ownMs * (1 + OWN_JITTER * jitter);
	const fairTurnMs = fairMs * (1 + FAIR_JITTER * jitter);
	return Math.max(lastPollAt + Math.max(ownTurnMs, fairTurnMs, job.minIntervalMs), notBefore);
}
