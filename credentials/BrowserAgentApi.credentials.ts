import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { signRequest } from '../nodes/service/signRequest';

export class BrowserAgentApi implements ICredentialType {
	name = 'browserAgentApi';

	displayName = 'Browser Agent API';

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
				'URL of the service, without /v1. An http:// URL is accepted only for this machine and for private networks.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: "Create a key in the settings of the service's web platform",
		},
	];

	// A function costs n8n less per request than an expression, and can keep the key where it belongs.
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => signRequest(credentials, request);

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/v1/get_credit_balance',
			timeout: 15_000,
		},
		rules: [
			refusal(
				401,
				"The service did not accept the API key. Check 'API Key' for a typo or create a new key.",
			),
			refusal(
				403,
				'The service knows this API key but gives it no permission to read the balance.',
			),
			refusal(404, "There is no Browser Agent service at this address. Check 'Base URL'."),
			refusal(
				429,
				'The service has had too many requests in the last minute. Try again in a minute.',
			),
			refusal(500, 'The service answered that something went wrong on its side. Try again later.'),
			refusal(502, 'The service cannot be reached behind its gateway. Try again later.'),
			refusal(503, 'The service is not available right now. Try again later.'),
			refusal(504, 'The service did not answer its gateway in time. Try again later.'),
			...[301, 302, 303, 307, 308].map((statusCode) =>
				refusal(
					statusCode,
					"The service answered with a redirect. Enter the address it leads to as 'Base URL'.",
				),
			),
		],
	};
}

type ResponseCodeRule = Extract<
	NonNullable<ICredentialTestRequest['rules']>[number],
	{ type: 'responseCode' }
>;

function refusal(statusCode: number, message: string): ResponseCodeRule {
	return { type: 'responseCode', properties: { value: statusCode, message } };
}
