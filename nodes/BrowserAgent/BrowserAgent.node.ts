import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { MAIN } from '../mainConnection';
import { PACKAGE_NAME } from '../package';
import { runtime } from '../runtime';
import { createCredentialTest } from '../service/testCredential';
import { execute } from './execute';
import { hints } from './hints';
import { operationFields, resourceField, subtitle } from './operations/index';

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
		subtitle,
		// n8n shows one node and one trigger of a package as one entry, with the trigger's description.
		description: 'Let an AI agent work in a web browser, or start a workflow when its job finishes',
		defaults: { name: 'Browser Agent' },
		usableAsTool: true,
		inputs: [MAIN],
		outputs: [MAIN],
		credentials: [{ name: 'browserAgentApi', required: true, testedBy: 'browserAgentApiTest' }],
		hints,
		// n8n shows this in place of the output while the execution is suspended.
		waitingNodeTooltip:
			"Waiting for the job to finish. Stop works here and, with 'Stop all', under Overview → Executions. There, the execution listed above this one checks the job, and its node 'Check Job Status' links to it.",
		// For n8n's AI workflow builder and its MCP server.
		builderHint: {
			searchHint:
				"For tasks on websites without an API: search, read, fill in forms, log in, download files. One input item is one paid job, so keep the number of items small and don't build retries around it. Agent: Run waits for the result unless waitUntilFinished is false; then get it with Job: Wait. Set outputFormat to 'example' if a later node needs data instead of text. So that one failed item doesn't end a batch, set the node's On Error to continue.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-base.splitOut',
					relationHint: 'Turns a list in output into one item per entry',
				},
				{
					nodeType: `${PACKAGE_NAME}.browserAgentTrigger`,
					relationHint: 'Starts another workflow when a job has finished that nobody waits for',
				},
			],
		},
		properties: [
			resourceField,
			...operationFields,
			// Set only in the sub-workflow that holds suspended waits.
			{ displayName: 'Suspend Step', name: 'suspendStep', type: 'hidden', default: '' },
		],
	};

	// n8n takes the test from either node of the package.
	methods = { credentialTest: { browserAgentApiTest: createCredentialTest(runtime) } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await execute(this, runtime);
	}
}
