import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../operation';
import { getHealth } from './getHealth';

export const serviceOperations: Record<string, Operation> = {
	getHealth,
};

export const serviceDropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['service'] } },
	options: [
		{
			name: 'Get Health',
			value: 'getHealth',
			action: 'Get service health',
			description: 'Ask whether the service is up; no credits and no permission needed',
		},
	],
	default: 'getHealth',
};
