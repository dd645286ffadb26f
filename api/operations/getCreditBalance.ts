import type { Account } from '../Account';
import type { Operation } from './operation';

/** Answers with the plan and the remaining credits of the account. */
export const getCreditBalance: Operation = ({ account }) => ({
	status: 200,
	json: {
		plan: account.plan,
		unlimited: account.credits === null,
		credit_balance: account.credits,
		next_reset: account.nextReset === null ? null : new Date(account.nextReset).toISOString(),
		message: balanceMessage(account),
	},
});

function balanceMessage({ credits }: Account): string | null {
	if (credits === null) return 'Credits are unlimited on this plan';
	return credits > 0 ? null : 'No credits are left until the next reset';
}
