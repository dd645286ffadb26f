import { createClock, type Clock } from './async/clock';
import { JobMemory } from './jobs/JobMemory';
import { Account } from './service/Account';
import type { SharedState } from './service/ClientFactory';
import { SERVICE_LIMITS, type ServiceLimits } from './service/documentedValues';

// Enough for all triggers of a process. What is forgotten only takes further polls to learn again.
const MAX_POLL_MEMORIES = 1_000;

/**
 * What one poll of a trigger leaves to the next. It is kept in the process, because n8n may save
 * nothing of a poll without events, and may give the next one a new context.
 */
export interface PollMemory {
	/** The job with which the next poll begins. If unset: the first one. */
	nextJobId?: string;
	/** The watched jobs that the service did not know when they were last polled. */
	notFound: Set<string>;
	/** The watched jobs that a poll has seen. */
	seen: Set<string>;
	/** The last poll that emitted something: the timestamp in its data, and when that was. */
	lastEmission?: {
		/** From `SeenEvents.savedAt`. */
		savedAt: number;
		/** In ms, from `Clock.elapsed()`. */
		at: number;
	};
}

/** What all executions in this process share. */
export interface Runtime extends SharedState {
	/** What is remembered of all jobs, so that a retry or an equal call starts none twice. */
	memory: JobMemory;
	/**
	 * The suspended runs of this process: an `object` that only suspend/watch.ts creates and reads.
	 */
	suspendedRuns?: object;
	/** Keys of the trigger nodes that are being polled, built from workflow and node. */
	activePolls: Set<string>;
	/** Returns the memory of a trigger node. The 1,000 that were asked for last are kept. */
	pollMemoryOf(key: string): PollMemory;
	/** The contexts in which n8n has already polled. */
	knownPollContexts: WeakSet<object>;
}

/** Creates an empty runtime. Tests and benchmarks pass other clocks and limits. */
export function createRuntime({
	clock = createClock(),
	limits = SERVICE_LIMITS,
}: { clock?: Clock; limits?: ServiceLimits } = {}): Runtime {
	const accounts = new Map<string, Account>();
	const pollMemories = new Map<string, PollMemory>();

	return {
		clock,
		memory: new JobMemory(clock),
		activePolls: new Set(),
		knownPollContexts: new WeakSet(),
		accountOf(id) {
			const account = accounts.get(id) ?? new Account(id, clock, limits);
			accounts.set(id, account);
			return account;
		},
		pollMemoryOf(key) {
			const memory = pollMemories.get(key) ?? { notFound: new Set(), seen: new Set() };
			// Moves it to the end, so that the first one is the oldest.
			pollMemories.delete(key);
			pollMemories.set(key, memory);
			const [oldest = key] = pollMemories.keys();
			if (pollMemories.size > MAX_POLL_MEMORIES) pollMemories.delete(oldest);
			return memory;
		},
	};
}

/**
 * The runtime of this process. Both nodes pass it down. The only other module-level state is the
 * JSON Schema library's table of formats, which findMismatches.ts corrects when it is loaded.
 */
export const runtime = createRuntime();
