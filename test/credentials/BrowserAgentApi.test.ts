import type { IHttpRequestOptions } from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { testCredential } from '../support/testCredential';
import { useSandbox } from '../support/useSandbox';
import { useServer } from '../support/useServer';

const BASE_URL = 'https://api.example.com/agents/v1/';
const KEY = 'key-1';

async function sign(
	request: IHttpRequestOptions,
	data: { baseUrl?: unknown; apiKey?: unknown } = {},
): Promise<IHttpRequestOptions> {
	const { authenticate } = new BrowserAgentApi();
	return await authenticate({ baseUrl: BASE_URL, apiKey: KEY, ...data } as never, request);
}

describe('signing a request', () => {
	it.each([
		['an address of the service', { url: 'https://api.example.com/agents/v1/health' }],
		['a path', { url: '/v1/health' }],
		['a path and the base URL as it was typed', { url: '/v1/health', baseURL: BASE_URL }],
	])('puts the key into the header of %s', async (_label, request) => {
		const signed = await sign(request);

		expect(signed).toEqual({
			url: 'https://api.example.com/agents/v1/health',
			headers: { Authorization: 'Bearer key-1' },
			disableFollowRedirect: true,
		});
	});

	it('keeps everything else of the request as it is', async () => {
		const signed = await sign({
			method: 'POST',
			url: '/v1/run_browser_agent',
			body: '{}',
			headers: { 'Content-Type': 'application/json' },
			qs: { page: 1 },
			timeout: 5,
		});

		expect(signed).toEqual({
			method: 'POST',
			url: 'https://api.example.com/agents/v1/run_browser_agent',
			body: '{}',
			headers: { 'Content-Type': 'application/json', Authorization: 'Bearer key-1' },
			qs: { page: 1 },
			timeout: 5,
			disableFollowRedirect: true,
		});
	});

	it('does not change the request it was given', async () => {
		const request = { url: '/v1/health', headers: { Accept: 'text/plain' } };

		await sign(request);

		expect(request).toEqual({ url: '/v1/health', headers: { Accept: 'text/plain' } });
	});

	it('switches redirects off even where they were wanted', async () => {
		const signed = await sign({ url: '/v1/health', disableFollowRedirect: false });

		expect(signed.disableFollowRedirect).toBe(true);
	});

	it.each([
		['a relative address below another base', { url: 'v1/health', baseURL: BASE_URL }],
		['another path of the same host', { url: 'https://api.example.com/files/1' }],
		['another base on the same host', { url: '/files/1', baseURL: 'https://api.example.com' }],
	])('goes to the host of the base URL: %s', async (_label, request) => {
		const signed = await sign(request);

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
		['nothing', { url: '' }],
	])('is refused for %s, and the key stays home', async (_label, request) => {
		const signing = sign(request);

		await expect(signing).rejects.toThrow(
			"The API key is sent to the host of 'Base URL' only, and this request goes elsewhere",
		);
	});

	it('takes a path that looks like an address without a scheme for a path', async () => {
		const signed = await sign({ url: '//evil.example/v1/health' });

		expect(new URL(signed.url).origin).toBe('https://api.example.com');
	});

	it('takes surrounding space off the key', async () => {
		const signed = await sign({ url: '/v1/health' }, { apiKey: ' key-1\n' });

		expect(signed.headers).toEqual({ Authorization: 'Bearer key-1' });
	});

	it.each([
		['no key', undefined],
		['an empty key', ''],
		['a blank key', ' \t'],
		['a key with a line break in it', 'key-1\r\nX-Other: 1'],
		['a key with a space in it', 'key 1'],
		['a key with a letter that headers cannot carry', 'ключ'],
	])('is refused for %s, without showing it', async (_label, apiKey) => {
		const signing = sign({ url: '/v1/health' }, { apiKey });

		await expect(signing).rejects.toThrow(
			/^'API Key' is empty or has characters in it that a key cannot have$/,
		);
	});

	it('is refused for an address that the key must not be sent to', async () => {
		const signing = sign({ url: '/v1/health' }, { baseUrl: 'http://api.example.com' });

		await expect(signing).rejects.toThrow("'Base URL' would send the API key unencrypted");
	});
});

describe('the credential test', () => {
	const sandbox = useSandbox({ validateResponses: true });
	const server = useServer();

	it('is passed with the right address and key, and costs nothing', async () => {
		const result = await testCredential({ baseUrl: sandbox.url, apiKey: 'sandbox-pro-key' });

		expect(result).toEqual({ status: 'OK', message: 'Connection successful!' });
		const requests = await sandbox.requests();
		expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /v1/get_credit_balance',
		]);
		expect(requests[0]?.headers.authorization).toBe('Bearer sandbox-pro-key');
	});

	it.each([
		['with a trailing slash', '/'],
		['with a trailing /v1', '/v1'],
		['with space behind it', ' '],
	])('is passed with an address %s', async (_label, ending) => {
		const result = await testCredential({
			baseUrl: sandbox.url + ending,
			apiKey: 'sandbox-pro-key',
		});

		expect(result.status).toBe('OK');
	});

	it('names the key when the service does not accept it', async () => {
		const result = await testCredential({ baseUrl: sandbox.url, apiKey: 'another-key' });

		expect(result).toEqual({
			status: 'Error',
			message:
				"The service did not accept the API key. Check 'API Key' for a typo or create a new key.",
		});
	});

	it('says so when the key has no permission', async () => {
		const result = await testCredential({
			baseUrl: sandbox.url,
			apiKey: 'sandbox-forbidden-key',
		});

		expect(result).toEqual({
			status: 'Error',
			message: expect.stringContaining('gives it no permission'),
		});
	});

	it.each([
		[404, "There is no Browser Agent service at this address. Check 'Base URL'."],
		[429, 'Rate limit exceeded for this account in the last minute. Try again in a minute.'],
		[500, 'The service answered that something went wrong on its side. Try again later.'],
		[502, 'The service cannot be reached behind its gateway. Try again later.'],
		[503, 'The service is not available right now. Try again later.'],
		[504, 'The service did not answer its gateway in time. Try again later.'],
	])('has words for a status %i', async (statusCode, message) => {
		server.answers({ statusCode, body: { detail: 'no', status_code: statusCode } });

		const result = await testCredential({ baseUrl: server.url, apiKey: KEY });

		expect(result).toEqual({ status: 'Error', message });
	});

	it.each([301, 302, 303, 307, 308])(
		'does not follow a redirect (%i), which would take the key along',
		async (statusCode) => {
			server.answers({ statusCode, headers: { Location: `${sandbox.url}/v1/get_credit_balance` } });

			const result = await testCredential({ baseUrl: server.url, apiKey: 'sandbox-pro-key' });

			expect(result).toEqual({
				status: 'Error',
				message:
					"The service answered with a redirect. Enter the address it leads to as 'Base URL'.",
			});
			expect(await sandbox.requests()).toEqual([]);
		},
	);

	it.each([
		['no address', '', "'Base URL' is empty"],
		['an address without a scheme', 'api.example.com', "'Base URL' is not a web address"],
		[
			'http to a public host',
			'http://api.example.com',
			"'Base URL' would send the API key unencrypted to api.example.com",
		],
	])('names the field for %s, and sends nothing', async (_label, baseUrl, message) => {
		const result = await testCredential({ baseUrl, apiKey: KEY });

		expect(result).toEqual({ status: 'Error', message });
	});

	it('names the field for a key that cannot be sent', async () => {
		const result = await testCredential({ baseUrl: server.url, apiKey: '' });

		expect(result).toEqual({
			status: 'Error',
			message: "'API Key' is empty or has characters in it that a key cannot have",
		});
		expect(server.arrivals).toEqual([]);
	});
});
