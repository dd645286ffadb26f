import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { jobSourceFields } from './jobList';
import { watchJobs } from './poll';

export class BrowserAgentTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Browser Agent Trigger',
		name: 'browserAgentTrigger',
		icon: {
			light: 'file:../../icons/browserAgent.svg',
			dark: 'file:../../icons/browserAgent.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["triggerOn"].join(", ") }}',
		description: 'Starts the workflow when a browser-agent job finishes',
		defaults: { name: 'Browser Agent Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'browserAgentApi', required: true }],
		properties: [
			{
				displayName: 'Trigger On',
				name: 'triggerOn',
				type: 'multiOptions',
				required: true,
				options: [
					{ name: 'Canceled', value: 'canceled', description: 'The job was canceled' },
					{ name: 'Completed', value: 'completed', description: 'The job is done' },
					{ name: 'Failed', value: 'failed', description: 'The job could not be done' },
					{
						name: 'Not Found',
						value: 'not_found',
						description: 'The service does not know a job of this ID',
					},
					{ name: 'Paused', value: 'paused', description: 'The job waits to be resumed' },
					{
						name: 'Taken Over',
						value: 'user_taken_over',
						description: "A user has taken over the job's browser",
					},
				],
				default: ['completed', 'failed', 'user_taken_over', 'canceled', 'not_found'],
				description: 'What starts the workflow, once for each job',
			},
			...jobSourceFields,
			{
				displayName: 'Simplify',
				name: 'simplify',
				type: 'boolean',
				default: true,
				description:
					'Whether to return a simplified version of the response instead of the raw data',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add Option',
				default: {},
				options: [
					{
						displayName: 'Download Files',
						name: 'downloadFiles',
						type: 'boolean',
						default: false,
						description:
							"Whether to attach the finished job's files to the item, as binary data file_0, file_1 and so on",
					},
					{
						displayName: 'Parse JSON Output',
						name: 'parseJsonOutput',
						type: 'boolean',
						default: false,
						description:
							'Whether to turn an output that is JSON, bare or in a code fence, into an object. Other text stays text.',
					},
				],
			},
		],
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await watchJobs(this);
	}
}
