import { createClock, type Clock } from './async/clock';
import { InnerExecutions } from './jobs/InnerExecutions';
import { JobLedger } from './jobs/JobLedger';
import { Account } from './service/Account';
import { SERVICE_LIMITS, type ServiceLimits } from './service/documentedValues';

/** What all executions in this process share. */
export interface Runtime {
	clock: Clock;
	/** Returns the account of this name, whose rate limits hold for all executions together. */
	accountOf(name: string): Account;
	/** What is known of all jobs, so that a retry or an equal call starts none twice. */
	ledger: JobLedger;
	/** Watches inner executions, even after the runs that suspended their waits have ended. */
	innerExecutions: InnerExecutions;
	/** Keys of the trigger nodes that are being polled, built from workflow and node. */
	activePolls: Set<string>;
	/** The contexts in which n8n has already polled. */
	knownPollContexts: WeakSet<object>;
}

/** Creates an empty runtime. Tests and benchmarks pass other clocks and limits. */
export function createRuntime({
	clock = createClock(),
	limits = SERVICE_LIMITS,
}: { clock?: Clock; limits?: ServiceLimits } = {}): Runtime {
	const accounts = new Map<string, Account>();

	return {
		clock,
		ledger: new JobLedger(clock),
		innerExecutions: new InnerExecutions(clock),
		activePolls: new Set(),
		knownPollContexts: new WeakSet(),
		accountOf(name) {
			const account = accounts.get(name) ?? new Account(name, clock, limits);
			accounts.set(name, account);
			return account;
		},
	};
}

/** The runtime of this process: the only module-level state. Both nodes pass it down. */
export const runtime = createRuntime();
