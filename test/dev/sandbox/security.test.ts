import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';

import { PRO, http, setUpSandbox } from './setUpSandbox';

const KEY = 'sk_live_0123456789';
const HOST_ERROR = "The Host header must be the sandbox's own loopback address and port";
const ORIGIN_ERROR = 'The sandbox does not accept requests from other origins';

describe('Sandbox security', () => {
	const sandbox = setUpSandbox({ accounts: [{ key: KEY, plan: 'pro', credits: 10 }] });

	it('listens on 127.0.0.1 only', async () => {
		const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
		const others = addresses.filter(({ internal, family }) => !internal && family === 'IPv4');

		for (const url of [sandbox.url, sandbox.filesUrl]) {
			expect(await canConnect('127.0.0.1', url)).toBe(true);
			for (const { address } of others) expect(await canConnect(address, url)).toBe(false);
			expect(await canConnect('::1', url)).toBe(false);
		}
	});

	describe.each([
		['the service', () => `${sandbox.url}/v1/health`],
		['the admin API', () => `${sandbox.url}/_sandbox/time`],
		['the job files', () => `${sandbox.filesUrl}/`],
	])('of %s', (_target, url) => {
		it.each([
			['Host: rebound.example:PORT', HOST_ERROR],
			['Host: evil-localhost:PORT', HOST_ERROR],
			['Host: 127.0.0.1:1', HOST_ERROR],
			['Host: 127.0.0.1', HOST_ERROR],
			['Origin: https://evil.example', ORIGIN_ERROR],
			['Origin: http://127.0.0.1:1', ORIGIN_ERROR],
			['Origin: http://localhost:PORT', ORIGIN_ERROR],
			['Origin: null', ORIGIN_ERROR],
		])('refuses %s', async (header, detail) => {
			const { status, data } = await http.get(url(), { headers: headersFrom(header, url()) });

			expect(status).toBe(403);
			expect(data).toEqual({ detail, status_code: 403 });
		});

		it.each([
			'Origin: http://127.0.0.1:PORT',
			'Host: localhost:PORT',
			'Host: [::1]:PORT',
			'Host: LocalHost:PORT, Origin: http://localhost:PORT',
		])('accepts %s', async (header) => {
			const { status } = await http.get(url(), { headers: headersFrom(header, url()) });

			expect(status).not.toBe(403);
		});
	});

	it('neither runs nor logs a request that it refuses', async () => {
		const headers = { Authorization: `Bearer ${PRO}`, Origin: 'https://evil.example' };

		await http.post(`${sandbox.url}/v1/run_browser_agent`, { directive: 'Look' }, { headers });

		expect(await sandbox.admin.jobs()).toEqual([]);
		expect(await sandbox.admin.requests()).toEqual([]);
	});

	it.each([
		['the end of a long key', 'Authorization', `Bearer ${KEY}`, 'Bearer [masked]…6789'],
		['nothing of a short key', 'Authorization', 'Bearer sk_short', 'Bearer [masked]'],
		['the end of a key without a scheme', 'Authorization', KEY, '[masked]…6789'],
		['the end of a key in another header', 'X-Api-Key', KEY, '[masked]…6789'],
		['a demo key', 'Authorization', `Bearer ${PRO}`, `Bearer ${PRO}`],
	])('shows only %s in the request log', async (_label, name, value, logged) => {
		await http.get(`${sandbox.url}/v1/health`, { headers: { [name]: value } });

		const [request] = await sandbox.admin.requests();

		expect(request?.headers[name.toLowerCase()]).toBe(logged);
	});

	it('masks keys in jobs and in errors of the admin API', async () => {
		await sandbox.clientWith(KEY).start();

		expect(await sandbox.admin.jobs()).toMatchObject([{ key: '[masked]…6789' }]);
		await expect(sandbox.admin.setCredits('sk_short', 1)).rejects.toThrow('with the key [masked]');
	});
});

/** Parses `Name: value, Name: value` and fills in the port of the URL. */
function headersFrom(text: string, url: string): Record<string, string> {
	const headers = text.replaceAll('PORT', new URL(url).port).split(', ');
	return Object.fromEntries(headers.map((header) => header.split(/: /)));
}

async function canConnect(host: string, url: string): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect({ host, port: Number(new URL(url).port), timeout: 1000 });
		for (const event of ['connect', 'error', 'timeout'] as const) {
			socket.once(event, () => {
				socket.destroy();
				resolve(event === 'connect');
			});
		}
	});
}
