import { omitUndefined } from '../../jobs/item';
import type { Operation } from './Operation';

const SHOWN_FIELDS = ['plan', 'unlimited', 'credit_balance', 'next_reset', 'message'];

export const getCreditBalanceOperation: Operation = {
	option: {
		name: 'Get Credit Balance',
		value: 'getCreditBalance',
		action: 'Get credit balance',
		description: "Get the account's plan and remaining credits",
	},
	fields: {},

	prepare: () => ({
		async execute({ run: { executionId: group, signal }, client }) {
			const balance = await client.getCreditBalance({ group, signal, retry: true });
			const shown = SHOWN_FIELDS.map((field) => [field, balance[field] ?? undefined]);
			return [
				{
					kind: 'output',
					json: omitUndefined(Object.fromEntries(shown) as Record<string, unknown>),
				},
			];
		},
	}),
};
