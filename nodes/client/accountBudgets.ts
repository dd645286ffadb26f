import type { Clock } from '../jobs/clock';
import { SERVICE_LIMITS, type ServiceLimits } from './bounds';
import { RateBudget } from './rateBudget';

/** The budgets of one account, one for each kind of call the service counts. */
export type AccountBudget = Record<keyof ServiceLimits, RateBudget>;

let limits: ServiceLimits = SERVICE_LIMITS;

const accounts = new Map<string, { clock: Clock; budget: AccountBudget }>();

/**
 * The budget of an account, the same one for every execution in this process. An account that has
 * made no call for an hour is forgotten when a budget is asked for the next time.
 */
export function accountBudget(account: string, clock: Clock): AccountBudget {
	for (const [name, { budget }] of accounts) {
		if (Object.values(budget).every(({ isIdle }) => isIdle)) accounts.delete(name);
	}

	const known = accounts.get(account);
	if (known?.clock === clock) return known.budget;

	const budget: AccountBudget = {
		start: new RateBudget(limits.start, clock),
		status: new RateBudget(limits.status, clock),
		balance: new RateBudget(limits.balance, clock),
	};
	accounts.set(account, { clock, budget });
	return budget;
}

/** How many accounts are held in memory right now. */
export function rememberedAccounts(): number {
	return accounts.size;
}

/** Puts other limits in place and forgets all calls, for tests and benchmarks. */
export function setServiceLimits(other: ServiceLimits = SERVICE_LIMITS): void {
	limits = other;
	accounts.clear();
}
