import type { Clock } from '../async/clock';
import { SERVICE_LIMITS, type ServiceLimits } from './models';
import { RateLimiter } from './RateLimiter';

/** The budgets of one account, one for each kind of call the service counts. */
export type AccountBudget = Record<keyof ServiceLimits, RateLimiter>;

const LOOKED_AT_EVERY_MS = 10 * 60_000;

let limits: ServiceLimits = SERVICE_LIMITS;

interface Account {
	clock: Clock;
	budget: AccountBudget;
}

const accounts = new Map<string, Account>();

/**
 * The budget of an account, the same one for every execution in this process. An account that has
 * made no call for an hour is forgotten.
 */
export function accountBudget(name: string, clock: Clock): AccountBudget {
	const known = accounts.get(name);
	if (known?.clock === clock) return known.budget;

	const budget: AccountBudget = {
		start: new RateLimiter(limits.start, clock),
		status: new RateLimiter(limits.status, clock),
		balance: new RateLimiter(limits.balance, clock),
	};
	const account = { clock, budget };
	accounts.set(name, account);
	forgetWhenIdle(name, account);
	return budget;
}

function forgetWhenIdle(name: string, account: Account): void {
	const look = () => {
		if (accounts.get(name) !== account) return;
		if (Object.values(account.budget).every(({ isIdle }) => isIdle)) accounts.delete(name);
		else forgetWhenIdle(name, account);
	};
	account.clock.timeout(LOOKED_AT_EVERY_MS).addEventListener('abort', look, { once: true });
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
