import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { optionsField, OUTPUT_OPTIONS, simplifyField } from '../parameters/options';
import { triggerOnField } from '../parameters/triggerOn';
import { runtime } from '../runtime';
import { jobListFields } from './jobList';
import { poll } from './poll';

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
			triggerOnField.shown,
			...jobListFields,
			simplifyField.shown,
			optionsField(OUTPUT_OPTIONS),
		],
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this, runtime);
	}
}
