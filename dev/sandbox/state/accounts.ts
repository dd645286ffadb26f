import { Account, type AccountSettings } from '../../../api/Account';

/** The accounts that every sandbox has. */
export const DEMO_ACCOUNTS: AccountSettings[] = [
	{ key: 'sandbox-pro-key', plan: 'pro', credits: 10_000 },
	{ key: 'sandbox-free-key', plan: 'free', credits: 100 },
	{ key: 'sandbox-enterprise-key', plan: 'enterprise', credits: null },
	{ key: 'sandbox-forbidden-key', plan: 'free', credits: 100, forbidden: true },
];

/** Creates the demo accounts, by key. */
export function createAccounts(now: number): Map<string, Account> {
	return new Map(DEMO_ACCOUNTS.map((account) => [account.key, new Account(account, now)]));
}
