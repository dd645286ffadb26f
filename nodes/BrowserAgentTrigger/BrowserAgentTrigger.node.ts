import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';

import { MAIN } from '../mainConnection';
import { PACKAGE_NAME } from '../package';
import { propertiesOf } from '../parameters/field';
import { triggerOnField, triggerOnSubtitle } from '../parameters/triggerOn';
import { runtime } from '../runtime';
import { createCredentialTest } from '../service/testCredential';
import { emptyListHint, jobsToWatchFields } from './jobsToWatch';
import { ITEM_FIELDS, poll } from './poll';

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
		subtitle: triggerOnSubtitle,
		// n8n's panel shows this for both nodes of the package.
		description: 'Let an AI agent work in a web browser, or start a workflow when its job finishes',
		defaults: { name: 'Browser Agent Trigger' },
		polling: true,
		inputs: [],
		outputs: [MAIN],
		credentials: [{ name: 'browserAgentApi', required: true, testedBy: 'browserAgentApiTest' }],
		hints: [emptyListHint],
		// For n8n's AI workflow builder and its MCP server.
		builderHint: {
			searchHint:
				"Polls jobs whose IDs it is given and starts a workflow when they finish. Not needed after an Agent: Run or Job: Wait, which return the result themselves. The service's API can't list jobs: the IDs must come from 'jobIds' or from a URL.",
			relatedNodes: [
				{
					nodeType: `${PACKAGE_NAME}.browserAgent`,
					relationHint: 'Starts the jobs, in another workflow, with waitUntilFinished false',
				},
			],
		},
		properties: [triggerOnField.property, ...jobsToWatchFields, ...propertiesOf(ITEM_FIELDS)],
	};

	// n8n takes the test from either node of the package.
	methods = { credentialTest: { browserAgentApiTest: createCredentialTest(runtime) } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this, runtime);
	}
}
