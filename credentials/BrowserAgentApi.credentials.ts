import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { signRequest } from '../nodes/service/signRequest';

type Rules = NonNullable<ICredentialTestRequest['rules']>;
type Rule = Rules[number];

const NOT_THE_SERVICE =
	"Something responds at this address, but it is not the Browser Agent service. Check 'Base URL'.";

// n8n reads the type of each rule, but its typings allow only lists of one type.
const RULES = [
	{
		// Any web server responds to any address with something.
		type: 'responseSuccessBody',
		properties: { key: 'plan', value: undefined, message: NOT_THE_SERVICE },
	},
	refusal(
		400,
		"The service rejected the request. Check 'Base URL': the port may expect https:// instead of http://.",
	),
	refusal(
		401,
		"The service did not accept the API key. Check 'API Key' for a typo or create a new key.",
	),
	refusal(
		403,
		'The API key is valid but has no permission to read the credit balance. Use a key with the permission, or ask the owner of the account.',
	),
	refusal(404, NOT_THE_SERVICE),
	refusal(405, NOT_THE_SERVICE),
	refusal(429, 'Rate limit exceeded for this account. Try again in a minute.'),
	refusal(500, "The problem is on the service's side (HTTP 500). Try again later."),
	refusal(502, 'The service is unreachable behind its gateway (HTTP 502). Try again later.'),
	refusal(503, 'The service is not available right now (HTTP 503). Try again later.'),
	refusal(504, 'The service did not respond to its gateway in time (HTTP 504). Try again later.'),
	...[301, 302, 303, 307, 308].map((statusCode) =>
		refusal(
			statusCode,
			"The service answered with a redirect. Enter the address that it redirects to as 'Base URL'.",
		),
	),
] as Rules;

function refusal(statusCode: number, message: string): Rule {
	return { type: 'responseCode', properties: { value: statusCode, message } };
}

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
		rules: RULES,
	};
}
