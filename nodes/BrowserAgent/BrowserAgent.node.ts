import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { MAIN } from '../mainConnection';
import { runtime } from '../runtime';
import { createCredentialTest } from '../service/testCredential';
import { execute } from './execute';
import { hints } from './hints';
import { operationFields, resourceField, subtitle } from './operations/fields';

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
			'Waiting for the job to finish. The execution is suspended, and the status is checked at most once a minute, by the execution that is listed above this one: open that one to see the job and its live link. To stop waiting, stop this execution, not that one.',
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
