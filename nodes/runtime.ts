import { createClock, type Clock } from './async/clock';
import { InnerExecutions } from './jobs/InnerExecutions';
import { LedgerStore } from './jobs/JobLedger';
import { Account } from './service/Account';
import { SERVICE_LIMITS, type ServiceLimits } from './service/documentedValues';

/** What all executions in this process share. */
export interface Runtime {
	clock: Clock;
	/** Returns the account of this name, whose rate limits hold for all executions together. */
	accountOf(name: string): Account;
	/**
	 * Returns the store that a run of the node shares with its retries, with whatever earlier tries
	 * recorded. `scope` is an object of the node in one execution: the store is dropped with it.
	 * `name` is the same for a run and its retries.
	 */
	ledgerStoreOf(scope: object, name: string): LedgerStore;
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
	const ledgers = new WeakMap<object, Map<string, LedgerStore>>();

	return {
		clock,
		innerExecutions: new InnerExecutions(clock),
		activePolls: new Set(),
		knownPollContexts: new WeakSet(),
		accountOf: (name) => getOrCreate(accounts, name, () => new Account(name, clock, limits)),
		ledgerStoreOf(scope, name) {
			const runs = getOrCreate(ledgers, scope, () => new Map<string, LedgerStore>());
			return getOrCreate(runs, name, () => new LedgerStore());
		},
	};
}

/** The runtime of this process: the only module-level state. Both nodes pass it down. */
export const runtime = createRuntime();

function getOrCreate<K, V>(
	map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
	key: K,
	create: () => V,
): V {
	const known = map.get(key);
	if (known !== undefined) return known;
	const value = create();
	map.set(key, value);
	return value;
}
