import { createHash } from 'node:crypto';

/** What an account starts with. */
export interface AccountSettings {
	key: string;
	plan: 'free' | 'pro' | 'enterprise';
	/** `null`: unlimited. */
	credits: number | null;
	/** Every call with this key is answered with 403. */
	forbidden?: boolean;
}

const RESET_INTERVAL_MS = 30 * 24 * 3600 * 1000;

/** An account, identified by its API key, and its credits. */
export class Account {
	readonly key: string;
	readonly userId: string;
	readonly plan: AccountSettings['plan'];
	readonly isForbidden: boolean;
	/** `null`: unlimited. */
	credits: number | null;
	/** Time of the next credit reset in ms since 1970; `null` when credits are unlimited. */
	nextReset: number | null;

	constructor({ key, plan, credits, forbidden = false }: AccountSettings, now: number) {
		this.key = key;
		this.userId = `user_${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
		this.plan = plan;
		this.isForbidden = forbidden;
		this.credits = credits;
		this.nextReset = credits === null ? null : now + RESET_INTERVAL_MS;
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
