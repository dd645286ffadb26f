import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from '../operation';
import { runAgent } from './run';

export const agentOperations: Record<string, Operation> = {
	run: runAgent,
};

export const agentDropdown: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['agent'] } },
	options: [
		{
			name: 'Run',
			value: 'run',
			action: 'Run agent',
			description: 'Let an AI agent do something in a web browser, and get its result',
		},
	],
	default: 'run',
};
