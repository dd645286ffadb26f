import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../operation';
import { getCreditBalance } from './getCreditBalance';

export const accountOperations: Record<string, Operation> = {
	getCreditBalance,
};

export const accountDropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['account'] } },
	options: [
		{
			name: 'Get Credit Balance',
			value: 'getCreditBalance',
			action: 'Get credit balance',
			description: "Read the account's plan and how many credits are left",
		},
	],
	default: 'getCreditBalance',
};
