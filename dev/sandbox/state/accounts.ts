import { createHash } from 'node:crypto';

import type { AccountOptions, Plan } from '../types';

/** The accounts that every sandbox has, unless its options replace them. */
export const DEMO_ACCOUNTS: AccountOptions[] = [
	{ key: 'sandbox-pro-key', plan: 'pro', credits: 10_000 },
	{ key: 'sandbox-free-key', plan: 'free', credits: 100 },
	{ key: 'sandbox-enterprise-key', plan: 'enterprise' },
	{ key: 'sandbox-forbidden-key', plan: 'free', credits: 100, forbidden: true },
];

const RESET_INTERVAL_MS = 30 * 24 * 3600 * 1000;

/** An account, identified by its API key, and its credits. */
export class Account {
	readonly key: string;
	readonly userId: string;
	readonly plan: Plan;
	readonly isForbidden: boolean;
	/** Credits remaining; `null` when they are unlimited. */
	credits: number | null = null;
	/** Sandbox time, in ms since 1970, of the next credit reset; `null` when credits are unlimited. */
	nextReset: number | null = null;

	constructor(options: AccountOptions, now: number) {
		this.key = options.key;
		this.userId = `user_${createHash('sha256').update(options.key).digest('hex').slice(0, 12)}`;
		this.plan = options.plan;
		this.isForbidden = options.forbidden ?? false;
		if (options.plan === 'enterprise') return;
		this.credits = options.credits ?? 0;
		this.nextReset = now + RESET_INTERVAL_MS;
	}

	get hasCredits(): boolean {
		return this.credits === null || this.credits > 0;
	}

	/** Deducts the credits and returns true, or deducts nothing when there are too few. */
	charge(credits: number): boolean {
		if (this.credits === null) return true;
		if (this.credits < credits) return false;
		this.credits -= credits;
		return true;
	}
}

/** Creates the demo accounts and those of the options, by key. On equal keys the options win. */
export function createAccounts(options: AccountOptions[], now: number): Map<string, Account> {
	const all = [...DEMO_ACCOUNTS, ...options];
	return new Map(all.map((account) => [account.key, new Account(account, now)]));
}
