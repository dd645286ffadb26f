import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { addApiKey } from '../nodes/service/apiKey';

/** The credential of both nodes, which test it with `testCredential`. */
export class BrowserAgentApi implements ICredentialType {
	name = 'browserAgentApi';

	displayName = 'Browser Agent API';

	// `REPOSITORY_URL`, as a literal: n8n's lint rule reads nothing else.
	documentationUrl =
		'https://github.com/browser-agent-contributors/n8n-nodes-browser-agent#credential';

	icon: Icon = {
		light: 'file:../icons/browserAgent.svg',
		dark: 'file:../icons/browserAgent.dark.svg',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description:
				'URL of the service, without /v1. An http:// URL is accepted only for the machine that n8n runs on and for private networks.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'Key from the settings of the service, or the one that your local service prints at its start',
		},
	];

	// A function costs n8n less per request than expressions do, and can refuse to send the key
	// elsewhere.
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => addApiKey(credentials, request);
}
