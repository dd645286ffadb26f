import { createClock, type Clock } from './async/clock';
import { JobMemory } from './jobs/JobMemory';
import { Account } from './service/Account';
import type { SharedState } from './service/ClientFactory';
import { SERVICE_LIMITS, type ServiceLimits } from './service/documentedValues';

// Enough for all triggers of a process. A trigger without its memory, as after a restart, can't
// tell whether all jobs are gone or the base URL is wrong. All else it learns again in further
// polls.
const MAX_POLL_MEMORIES = 1_000;

/**
 * What one poll of a trigger leaves to the next. It is kept in the process, because n8n may save
 * nothing of a poll without events, and may give the next one a new context.
 */
export interface PollMemory {
	/** The job with which the next poll begins. If unset: the first one. */
	nextJobId?: string;
	/** The watched jobs that the service did not know in its last answer about them. */
	notFound: Set<string>;
	/** The watched jobs that a poll of this process has seen. */
	seen: Set<string>;
	/** The last poll that has emitted something. */
	lastEmission?: {
		/** The timestamp in its data, as `SeenEvents.save` returns it. */
		savedAt: number;
		/** When it emitted, in ms, from `Clock.elapsed()`. */
		at: number;
	};
}

/** What all executions in this process share. */
export interface Runtime extends SharedState {
	/** What is remembered of jobs, so that neither a retry nor an equal call starts one twice. */
	memory: JobMemory;
	/**
	 * The suspended runs of this process: an `object` that only suspend/watch.ts creates and reads.
	 */
	suspendedRuns?: object;
	/** The trigger nodes that are being polled, each as a text made of workflow and node. */
	activePolls: Set<string>;
	/** Returns the memory of a trigger node. The 1,000 that were asked for last are kept. */
	pollMemoryOf(triggerKey: string): PollMemory;
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
		accountOf(id, known) {
			const account = known ?? accounts.get(id) ?? new Account(id, clock, limits);
			accounts.set(id, account);
			return account;
		},
		pollMemoryOf(triggerKey) {
			const memory = pollMemories.get(triggerKey) ?? { notFound: new Set(), seen: new Set() };
			// Moves it to the end, so that the first one is the oldest.
			pollMemories.delete(triggerKey);
			pollMemories.set(triggerKey, memory);
			const [oldest = triggerKey] = pollMemories.keys();
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
