import { createClock, type Clock } from './async/clock';
import { InnerExecutions } from './jobs/InnerExecutions';
import { LedgerStore } from './jobs/JobLedger';
import { Account } from './service/Account';
import { SERVICE_LIMITS, type ServiceLimits } from './service/documentedValues';

/** What all executions in this process share. */
export interface Runtime {
	clock: Clock;
	/** The account of this name: its rate limits hold for all executions together. */
	accountOf(name: string): Account;
	/**
	 * What earlier runs of a node have left for its retries, within the execution that `owner`
	 * belongs to.
	 */
	ledgerStoreOf(owner: object, run: string): LedgerStore;
	/** The executions that hold suspended waits of runs that have ended. */
	innerExecutions: InnerExecutions;
	/** Trigger nodes with a poll under way, by workflow and node. */
	activePolls: Set<string>;
	/** The poll contexts that have been used before. */
	knownPollContexts: WeakSet<object>;
}

/**
 * Creates a runtime of its own, with nothing known. Tests and benchmarks have other clocks and
 * limits.
 */
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
		ledgerStoreOf(owner, run) {
			const runs = getOrCreate(ledgers, owner, () => new Map<string, LedgerStore>());
			return getOrCreate(runs, run, () => new LedgerStore());
		},
	};
}

/**
 * The runtime of this process. The only state of the package's modules; both nodes hand it down.
 */
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
