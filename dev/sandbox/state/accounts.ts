import { createHash } from 'node:crypto';

import type { EventQueue } from './EventQueue';
import type { AccountOptions, Plan } from '../types';

/** The keys of a sandbox that is not told otherwise. */
export const DEMO_ACCOUNTS: AccountOptions[] = [
	{ key: 'sandbox-pro-key', plan: 'pro', credits: 10_000 },
	{ key: 'sandbox-free-key', plan: 'free', credits: 100 },
	{ key: 'sandbox-enterprise-key', plan: 'enterprise' },
	{ key: 'sandbox-forbidden-key', plan: 'free', credits: 100, forbidden: true },
];

const RESET_INTERVAL_MS = 30 * 24 * 3600 * 1000;

export class Account {
	readonly key: string;
	readonly userId: string;
	readonly plan: Plan;
	readonly isForbidden: boolean;
	/** What is left; `null` when credits are unlimited. */
	credits: number | null;
	/** Sandbox time at which the credits are what they were at the beginning; `null` for unlimited. */
	nextReset: number | null = null;

	constructor(options: AccountOptions, now: number, events: EventQueue) {
		this.key = options.key;
		this.userId = `user_${createHash('sha256').update(options.key).digest('hex').slice(0, 12)}`;
		this.plan = options.plan;
		this.isForbidden = options.forbidden ?? false;
		this.credits = null;
		if (options.plan !== 'enterprise') this.grant(options.credits ?? 0, now, events);
	}

	get hasCredits(): boolean {
		return this.credits === null || this.credits > 0;
	}

	/** Takes the credits, or none of them when there are too few. */
	pay(credits: number): boolean {
		if (this.credits === null) return true;
		if (this.credits < credits) return false;
		this.credits -= credits;
		return true;
	}

	private grant(credits: number, now: number, events: EventQueue): void {
		this.credits = credits;
		this.nextReset = now + RESET_INTERVAL_MS;
		events.schedule(this.nextReset, (at) => this.grant(credits, at, events));
	}
}

/** All accounts of a sandbox by key. Accounts given in the options replace or follow the default ones. */
export function createAccounts(
	options: AccountOptions[],
	now: number,
	events: EventQueue,
): Map<string, Account> {
	const all = [...DEMO_ACCOUNTS, ...options];
	return new Map(all.map((account) => [account.key, new Account(account, now, events)]));
}
