import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runtime } from '../runtime';
import { execute } from './execute';
import { operationFields } from './operations';

export class BrowserAgent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Browser Agent',
		name: 'browserAgent',
		icon: {
			light: 'file:../../icons/browserAgent.svg',
			dark: 'file:../../icons/browserAgent.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Let an AI agent work in a web browser and get its result',
		defaults: { name: 'Browser Agent' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'browserAgentApi', required: true }],
		hints: [
			{
				message:
					'The job is running. To get its result, pass job_id to Job: Wait or to the Browser Agent Trigger.',
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'afterExecution',
				displayCondition:
					'={{ $parameter["operation"] === "run" && $parameter["waitUntilFinished"] === false }}',
			},
		],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Account', value: 'account' },
					{ name: 'Agent', value: 'agent' },
					{ name: 'Job', value: 'job' },
					{ name: 'Job File', value: 'jobFile' },
					{ name: 'Service', value: 'service' },
					{ name: 'Workflow', value: 'workflow' },
				],
				default: 'agent',
			},
			...operationFields,
			// Set only by the sub-workflow that holds a suspended wait.
			{ displayName: 'Durable Step', name: 'durableStep', type: 'hidden', default: '' },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await execute(this, runtime);
	}
}
