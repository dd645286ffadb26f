import type { IHttpRequestOptions } from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';

const BASE_URL = 'https://api.example.com/agents/v1/';
const KEY = 'key-1';
const INVALID_KEY = "'API Key' is empty or contains invalid characters";

async function authenticate(
	request: IHttpRequestOptions,
	data: { baseUrl?: unknown; apiKey?: unknown } = {},
): Promise<IHttpRequestOptions> {
	const credentials = { baseUrl: BASE_URL, apiKey: KEY, ...data };
	return await new BrowserAgentApi().authenticate(credentials as never, request);
}

describe('BrowserAgentApi.authenticate', () => {
	it.each([
		['an address of the service', { url: 'https://api.example.com/agents/v1/health' }],
		['a path', { url: '/v1/health' }],
		['a path and the base URL as it was entered', { url: '/v1/health', baseURL: BASE_URL }],
	])('adds the key to the header of %s', async (_label, request) => {
		expect(await authenticate(request)).toEqual({
			url: 'https://api.example.com/agents/v1/health',
			headers: { Authorization: 'Bearer key-1' },
			disableFollowRedirect: true,
			followRedirect: false,
		});
	});

	it('changes nothing else, and not the request itself', async () => {
		const request: IHttpRequestOptions = {
			method: 'POST',
			url: '/v1/run_browser_agent',
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
			url: 'https://api.example.com/agents/v1/run_browser_agent',
			headers: { 'Content-Type': 'application/json', Authorization: 'Bearer key-1' },
			disableFollowRedirect: true,
			followRedirect: false,
		});
		expect(request).toEqual(before);
	});

	it.each([
		['a relative address below another base', { url: 'v1/health', baseURL: BASE_URL }],
		['another path of the same host', { url: 'https://api.example.com/files/1' }],
		['another base on the same host', { url: '/files/1', baseURL: 'https://api.example.com' }],
		['a path that looks like a host', { url: '//evil.example/v1/health' }],
	])('sends the key to the origin of the base URL: %s', async (_label, request) => {
		const signed = await authenticate(request);

		expect(new URL(signed.url).origin).toBe('https://api.example.com');
		expect(signed.headers).toEqual({ Authorization: 'Bearer key-1' });
	});

	it.each([
		['another host', { url: 'https://evil.example/v1/health' }],
		['a host below', { url: 'https://files.api.example.com/' }],
		['another port', { url: 'https://api.example.com:8443/v1/health' }],
		['another scheme', { url: 'http://api.example.com/v1/health' }],
		['another base URL', { url: '/v1/health', baseURL: 'https://evil.example' }],
		['another host beside the right base URL', { url: 'https://evil.example/', baseURL: BASE_URL }],
		['a user name that looks like the host', { url: 'https://api.example.com@evil.example/' }],
		['no address', { url: 'v1/health' }],
		['an empty address', { url: '' }],
	])('sends the key to no other origin: %s', async (_label, request) => {
		await expect(authenticate(request)).rejects.toThrow(
			"The API key is sent to the host of 'Base URL' only, and this request goes elsewhere",
		);
	});

	it("signs requests of n8n's HTTP Request node, which call the address uri", async () => {
		const request = { uri: '/v1/health', json: true, rejectUnauthorized: true };

		expect(await authenticate(request as never)).toEqual({
			uri: 'https://api.example.com/agents/v1/health',
			json: true,
			headers: { Authorization: 'Bearer key-1' },
			followRedirect: false,
			disableFollowRedirect: true,
		});
	});

	it('refuses a uri at another origin', async () => {
		const request = { uri: 'https://evil.example/v1/health' };

		await expect(authenticate(request as never)).rejects.toThrow('this request goes elsewhere');
	});

	it.each([
		['proxy', 'http://proxy.example'],
		['proxy', { host: 'proxy.example', port: 8080 }],
		['auth', { username: 'a', password: 'b' }],
		['agent', {}],
		['agentOptions', { pfx: 'x' }],
		['httpAgent', {}],
		['httpsAgent', {}],
		['socketPath', '/var/run/docker.sock'],
	])('refuses the option %s', async (name, value) => {
		const request = { url: '/v1/health', [name]: value };

		await expect(authenticate(request)).rejects.toThrow(
			`The API key is not sent with the request option '${name}'`,
		);
	});

	it.each([{ skipSslCertificateValidation: true }, { rejectUnauthorized: false }])(
		'refuses to switch off the check of the certificate: %j',
		async (option) => {
			await expect(authenticate({ url: '/v1/health', ...option })).rejects.toThrow(
				'The API key is not sent without checking the certificate of the service',
			);
		},
	);

	it.each(['get', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])(
		'signs the method %s',
		async (method) => {
			const { headers } = await authenticate({ url: '/v1/health', method } as never);

			expect(headers).toHaveProperty('Authorization');
		},
	);

	it.each(['TRACE', 'trace', 'CONNECT', 'TRACK', ''])(
		'refuses the method %j, which may send the key back or elsewhere',
		async (method) => {
			await expect(authenticate({ url: '/v1/health', method } as never)).rejects.toThrow(
				`The API key is not sent with the method '${method}'`,
			);
		},
	);

	it.each([
		...['Accept', 'accept-language', 'Cache-Control', 'Content-Type', 'Idempotency-Key'],
		...['If-None-Match', 'If-Modified-Since', 'User-Agent', 'Range'],
	])('passes on the header %s', async (name) => {
		const { headers } = await authenticate({ url: '/v1/health', headers: { [name]: 'x' } });

		expect(headers).toEqual({ [name]: 'x', Authorization: 'Bearer key-1' });
	});

	it.each([
		...['Host', ' host', 'X-Forwarded', 'X-Forwarded-Host', 'Forwarded', 'X-Host', 'Via'],
		...['X-Original-URL', 'X-HTTP-Method-Override', 'Connection', 'Transfer-Encoding'],
		...['Proxy-Authorization', 'Cookie', 'TE', 'X-If-Match'],
	])('refuses the header %j', async (name) => {
		const request = { url: '/v1/health', headers: { [name]: 'evil.example' } };

		await expect(authenticate(request)).rejects.toThrow(
			`The API key is not sent with the header '${name.trim()}'`,
		);
	});

	it('replaces Authorization and, as n8n knows it, Content-Length, however they are spelled', async () => {
		const given = { authorization: 'x', 'CONTENT-length': '5' };
		const { headers } = await authenticate({ url: '/v1/health', headers: given });

		expect(headers).toEqual({ Authorization: 'Bearer key-1' });
	});

	it('leaves out options that it does not know', async () => {
		const signed = await authenticate({ url: '/v1/health', maxRedirects: 5 } as never);

		expect(signed).not.toHaveProperty('maxRedirects');
	});

	it('trims the key', async () => {
		const { headers } = await authenticate({ url: '/v1/health' }, { apiKey: ' key-1\n' });

		expect(headers).toEqual({ Authorization: 'Bearer key-1' });
	});

	it.each([
		['no key', undefined],
		['an empty key', ''],
		['a blank key', ' \t'],
		['a key with a line break', 'key-1\r\nX-Other: 1'],
		['a key with a space', 'key 1'],
		['a key with a letter that headers cannot have', 'ключ'],
	])('throws for %s, without showing it', async (_label, apiKey) => {
		await expect(authenticate({ url: '/v1/health' }, { apiKey })).rejects.toThrow(
			new Error(INVALID_KEY),
		);
	});

	it('throws for a base URL that the key must not be sent to', async () => {
		const data = { baseUrl: 'http://api.example.com' };

		await expect(authenticate({ url: '/v1/health' }, data)).rejects.toThrow(
			"'Base URL' would send the API key unencrypted",
		);
	});
});
