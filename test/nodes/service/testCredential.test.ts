import { BrowserAgent } from '../../../nodes/BrowserAgent/BrowserAgent.node';
import { BrowserAgentTrigger } from '../../../nodes/BrowserAgentTrigger/BrowserAgentTrigger.node';
import { useSandbox } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';
import { credentialTestOf, testCredential, testWithTimeout } from './runCredentialTest';

const KEY = 'key-1';
const SUCCESS = { status: 'OK', message: 'Connection successful!' };
const NOT_THE_SERVICE =
	"Something is responding at this address, but it is not the Browser Agent service. Check 'Base URL'.";
const HTTPS_EXPECTED =
	"The service did not accept the connection. Check 'Base URL': the port may expect https:// instead of http://.";
const TIMED_OUT =
	'The service did not respond in time. Try again later. The service may be busy or the network slow.';

function failure(message: string) {
	return { status: 'Error', message };
}

describe('The credential test', () => {
	const sandbox = useSandbox();
	const server = useServer();
	const tlsServer = useServer({ tls: true });

	it('succeeds, and costs nothing', async () => {
		const result = await testCredential({
			baseUrl: `${sandbox.url}/v1/ `,
			apiKey: 'sandbox-pro-key',
		});

		expect(result).toEqual(SUCCESS);
		expect(await sandbox.requests()).toMatchObject([
			{
				method: 'GET',
				path: '/v1/get_credit_balance',
				headers: { authorization: 'Bearer sandbox-pro-key' },
			},
		]);
	});

	it.each([
		['Browser Agent', new BrowserAgent()],
		['Browser Agent Trigger', new BrowserAgentTrigger()],
	])('is the one that n8n finds in the node %s', async (_name, node) => {
		const data = { baseUrl: sandbox.url, apiKey: 'sandbox-pro-key' };

		const result = await testCredential(data, credentialTestOf(node));

		expect(result).toEqual(SUCCESS);
	});

	it('says in the words of the node what is wrong', async () => {
		const result = await testCredential({ baseUrl: sandbox.url, apiKey: 'another-key' });

		expect(result.status).toBe('Error');
		expect(result.message).toContain(
			"The service did not accept the API key. Enter a valid key of this service as 'API Key'",
		);
	});

	it.each([
		['a web page', '<html><body>Welcome</body></html>'],
		['other data', { status: 'ok' }],
		['more data than the service has', { plan: 'x'.repeat(6 * 1024 * 1024) }],
	])('does not take a server that responds with %s for the service', async (_label, body) => {
		server.answers({ statusCode: 200, body });

		const result = await testCredential({ baseUrl: server.url, apiKey: KEY });

		expect(result).toEqual(failure(NOT_THE_SERVICE));
	});

	it('succeeds for an account with unlimited credits', async () => {
		server.answers({ statusCode: 200, body: { plan: 'enterprise', unlimited: true } });

		const result = await testCredential({ baseUrl: server.url, apiKey: KEY });

		expect(result).toEqual(SUCCESS);
	});

	it.each([
		[400, HTTPS_EXPECTED],
		[404, NOT_THE_SERVICE],
	])(
		'does not take status %i for the service, which never responds so',
		async (statusCode, message) => {
			server.answers({ statusCode, body: { detail: 'no', status_code: statusCode } });

			const result = await testCredential({ baseUrl: server.url, apiKey: KEY });

			expect(result.status).toBe('Error');
			expect(result.message).toContain(message);
		},
	);

	it('follows no redirect, which would take the key along', async () => {
		const headers = { Location: `${sandbox.url}/v1/get_credit_balance` };
		server.answers({ statusCode: 302, headers });

		const result = await testCredential({ baseUrl: server.url, apiKey: 'sandbox-pro-key' });

		expect(result).toEqual(
			failure(
				`The service responded with a redirect (HTTP 302), which is not followed. It redirects to ${sandbox.url}/v1/get_credit_balance. Enter '${sandbox.url}' as 'Base URL' in the Browser Agent API credential.`,
			),
		);
		expect(await sandbox.requests()).toEqual([]);
	});

	it.each([
		['no address', '', KEY, "'Base URL' is not a valid URL. In the Browser Agent API credential, "],
		['no key', 'http://127.0.0.1:1', '', "'API Key' is empty"],
	])('names the field and sends nothing for %s', async (_label, baseUrl, apiKey, message) => {
		const result = await testCredential({ baseUrl, apiKey });

		expect(result.status).toBe('Error');
		expect(result.message).toContain(message);
	});

	it('says so when the port expects http:// instead of https://', async () => {
		const baseUrl = server.url.replace('http:', 'https:');

		const result = await testCredential({ baseUrl, apiKey: KEY });

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(
			/: the port responded without TLS \(EPROTO\)\. Check the scheme of the address: the port may expect http:\/\/ instead of https:\/\/\.$/,
		);
		expect(server.arrivals).toEqual([]);
	});

	it.each(['http://', ''])(
		'says so when the port expects https:// instead of %j',
		async (scheme) => {
			const baseUrl = tlsServer.url.replace('https://', scheme);

			const result = await testCredential({ baseUrl, apiKey: KEY });

			expect(result).toEqual(failure(HTTPS_EXPECTED));
		},
	);

	it('checks the certificate of the service', async () => {
		const result = await testCredential({ baseUrl: tlsServer.url, apiKey: KEY });

		expect(result.message).toContain(
			'The service could not be reached: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
		);
		expect(tlsServer.arrivals).toEqual([]);
	});

	it('gives up when the response does not begin', async () => {
		server.answers(() => {});
		const data = { baseUrl: server.url, apiKey: KEY };

		const result = await testCredential(data, testWithTimeout(1 / 400));

		expect(result).toEqual(failure(TIMED_OUT));
	});

	it('gives up when the response does not end, and closes the connection', async () => {
		const closed = new Promise((resolve) => {
			server.answers((_arrival, response) => {
				response.on('close', () => resolve('closed'));
				response.write('{"plan":');
			});
		});

		expect(await testCredential({ baseUrl: server.url, apiKey: KEY })).toEqual(failure(TIMED_OUT));
		expect(await closed).toBe('closed');
	});

	it('gives up when the response begins after the time limit and does not end', async () => {
		const { clock } = sandbox;
		const closed = new Promise((resolve) => {
			server.answers((_arrival, response) => {
				response.on('close', () => resolve('closed'));
				void clock.sleep(60_000).then(() => response.write('{"plan":'));
			});
		});

		expect(await testCredential({ baseUrl: server.url, apiKey: KEY })).toEqual(failure(TIMED_OUT));
		expect(await closed).toBe('closed');
	});
});
