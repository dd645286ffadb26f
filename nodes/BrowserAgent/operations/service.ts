import { omitUndefined } from '../../jobs/item';
import type { Operation } from './Operation';

export const getHealthOperation: Operation = {
	option: {
		name: 'Get Health',
		value: 'getHealth',
		action: 'Get service health',
		description: 'Check whether the service is available',
	},
	fields: {},

	prepare: () => ({
		async execute({ run: { signal }, client }) {
			const { statusCode, response, message } = await client.getHealth({ signal });
			const healthy = statusCode !== undefined && statusCode >= 200 && statusCode < 300;
			return [
				{
					kind: 'output',
					json: omitUndefined({ healthy, status_code: statusCode, response, message }),
				},
			];
		},
	}),
};
