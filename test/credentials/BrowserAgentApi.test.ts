import type { IHttpRequestOptions } from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';

const BASE_URL = 'https://api.example.com/agents/v1/';
const URL = 'https://api.example.com/agents/v1/health';
const KEY = 'key-1';

async function authenticate(
	request: IHttpRequestOptions,
	data: { baseUrl?: unknown; apiKey?: unknown } = {},
): Promise<IHttpRequestOptions> {
	const credentials = { baseUrl: BASE_URL, apiKey: KEY, ...data };
	return await new BrowserAgentApi().authenticate(credentials as never, request);
}

describe('BrowserAgentApi.authenticate', () => {
	it.each([
		['url', 'https://api.example.com/agents/v1/health'],
		['url', 'https://api.example.com/files/1'],
		['url', 'https://API.example.com:443/'],
		// As n8n's HTTP Request node calls it.
		['uri', 'https://api.example.com/agents/v1/health'],
	])('adds the key to the header of a request with the %s %s', async (name, address) => {
		expect(await authenticate({ [name]: address } as never)).toEqual({
			[name]: address,
			headers: { Authorization: 'Bearer key-1' },
			disableFollowRedirect: true,
			followRedirect: false,
		});
	});

	it('changes nothing else, and not the request itself', async () => {
		const request: IHttpRequestOptions = {
			method: 'POST',
			url: URL,
			body: '{}',
			headers: { 'Content-Type': 'application/json' },
			qs: { page: 1 },
			timeout: 5,
			disableFollowRedirect: false,
		};
		const before = structuredClone(request);

		const signed = await authenticate(request);

		expect(signed).toEqual({
			...before,
			headers: { 'Content-Type': 'application/json', Authorization: 'Bearer key-1' },
			disableFollowRedirect: true,
			followRedirect: false,
		});
		expect(request).toEqual(before);
	});

	it.each([
		['another host', { url: 'https://evil.example/v1/health' }],
		['a host below', { url: 'https://files.api.example.com/' }],
		['another port', { url: 'https://api.example.com:8443/v1/health' }],
		['another scheme', { url: 'http://api.example.com/v1/health' }],
		['a user name that looks like the host', { url: 'https://api.example.com@evil.example/' }],
		['another host beside the right one', { uri: 'https://evil.example/', url: URL }],
		['a path', { url: '/v1/health', baseURL: BASE_URL }],
		['no URL', {}],
	])('sends the key to no other origin: %s', async (_label, request) => {
		await expect(authenticate(request as never)).rejects.toThrow(
			"The API key is sent to the host of 'Base URL' only, and this request goes elsewhere",
		);
	});

	it.each(['get', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])(
		'signs a %s request',
		async (method) => {
			const { headers } = await authenticate({ url: URL, method } as never);

			expect(headers).toHaveProperty('Authorization');
		},
	);

	it.each(['TRACE', 'trace', 'CONNECT', 'TRACK', ''])(
		'refuses the method %j, which may send the key back or elsewhere',
		async (method) => {
			await expect(authenticate({ url: URL, method } as never)).rejects.toThrow(
				`The API key is not sent with the method '${method}'`,
			);
		},
	);

	it.each([
		...['Accept', 'accept-language', 'Cache-Control', 'Content-Type', 'Idempotency-Key'],
		...['If-None-Match', 'If-Modified-Since', 'User-Agent', 'Range'],
	])('passes on the header %s', async (name) => {
		const { headers } = await authenticate({ url: URL, headers: { [name]: 'x' } });

		expect(headers).toEqual({ [name]: 'x', Authorization: 'Bearer key-1' });
	});

	it.each([
		...['Host', 'X-Forwarded', 'X-Forwarded-Host', 'Forwarded', 'X-Host', 'Via', 'X-If-Match'],
		...['X-Original-URL', 'X-HTTP-Method-Override', 'Connection', 'Transfer-Encoding', 'TE'],
		...['Proxy-Authorization', 'Cookie', 'authorization', 'CONTENT-length', ' Accept'],
	])('leaves out the header %j', async (name) => {
		const { headers } = await authenticate({ url: URL, headers: { [name]: 'evil.example' } });

		expect(headers).toEqual({ Authorization: 'Bearer key-1' });
	});

	it.each([
		...['proxy', 'auth', 'agent', 'agentOptions', 'httpAgent', 'httpsAgent', 'socketPath'],
		...['skipSslCertificateValidation', 'rejectUnauthorized', 'maxRedirects', 'baseURL'],
	])('leaves out the option %s', async (name) => {
		expect(await authenticate({ url: URL, [name]: {} })).not.toHaveProperty(name);
	});

	// What a key can be is tested with `toApiKey` and `checkApiKey`.
	it.each([
		['no key', undefined, "'API Key' is empty"],
		['a line break', 'key-1\nX: 1', "'API Key' contains white space or control characters"],
	])('throws for %s', async (_label, apiKey, message) => {
		await expect(authenticate({ url: URL }, { apiKey })).rejects.toThrow(new Error(message));
	});

	it('throws for a base URL that the key must not be sent to', async () => {
		const data = { baseUrl: 'http://api.example.com' };

		await expect(authenticate({ url: URL }, data)).rejects.toThrow(
			"'Base URL' would send the API key unencrypted",
		);
	});
});
