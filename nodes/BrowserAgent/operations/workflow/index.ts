import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../operation';
import { runWorkflow } from './run';

export const workflowOperations: Record<string, Operation> = {
	run: runWorkflow,
};

export const workflowDropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['workflow'] } },
	options: [
		{
			name: 'Run',
			value: 'run',
			action: 'Run saved workflow',
			description: "Run a workflow saved in the service's web platform, and get its result",
		},
	],
	default: 'run',
};
