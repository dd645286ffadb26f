import { withoutUnset } from '../../../output/jobItem';
import type { Operation } from '../operation';

const FIELDS = ['plan', 'unlimited', 'credit_balance', 'next_reset', 'message'];

export const getCreditBalance: Operation = {
	parameters: [],

	prepare() {
		return {
			async work({ client, signal }) {
				const balance = await client.getCreditBalance({ signal, repeat: true });
				const shown = FIELDS.map((field) => [field, balance[field] ?? undefined]);
				return [{ json: withoutUnset(Object.fromEntries(shown) as Record<string, unknown>) }];
			},
		};
	},
};
