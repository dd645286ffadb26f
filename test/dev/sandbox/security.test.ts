import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';

import axios from 'axios';

import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, PRO } from './client';

const http = axios.create({ proxy: false, validateStatus: () => true });

describe('Sandbox security', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox();
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	it('listens on the loopback address only', async () => {
		const others = Object.values(networkInterfaces())
			.flatMap((addresses) => addresses ?? [])
			.filter(({ internal, family }) => !internal && family === 'IPv4')
			.map(({ address }) => address);
		const ports = [sandbox.url, sandbox.filesUrl].map((url) => Number(new URL(url).port));

		for (const port of ports) {
			expect(await canConnect('127.0.0.1', port)).toBe(true);
			for (const host of [...others, '::1']) expect(await canConnect(host, port)).toBe(false);
		}
	});

	describe.each([
		['the service', () => `${sandbox.url}/v1/health`, 200],
		['the admin API', () => `${sandbox.url}/_sandbox/requests`, 200],
		['the job files', () => `${sandbox.filesUrl}/`, 404],
	])('for %s', (_target, url, allowedStatus) => {
		it.each([
			['a foreign name', () => ({ Host: `rebound.example:${portOf(url())}` })],
			['a name that ends in localhost', () => ({ Host: `evil-localhost:${portOf(url())}` })],
			['another port', () => ({ Host: '127.0.0.1:1' })],
			['no port', () => ({ Host: '127.0.0.1' })],
		])('refuses a request whose Host header has %s', async (_label, headers) => {
			const { status, data } = await http.get(url(), { headers: headers() });

			expect(status).toBe(403);
			expect(data).toEqual({
				detail: "The Host header must be the sandbox's own loopback address and port",
				status_code: 403,
			});
		});

		it.each([
			['another site', () => 'https://evil.example'],
			['another port', () => 'http://127.0.0.1:1'],
			['a sandboxed frame', () => 'null'],
		])('refuses a request whose Origin is %s', async (_label, origin) => {
			const { status, data } = await http.get(url(), { headers: { Origin: origin() } });

			expect(status).toBe(403);
			expect(data).toEqual({
				detail: 'The sandbox does not accept requests from other origins',
				status_code: 403,
			});
		});

		it.each([
			['its address', () => ({ Origin: new URL(url()).origin })],
			['the name localhost', () => ({ Host: `LocalHost:${portOf(url())}` })],
			[
				'the same localhost as Host and Origin',
				() => ({
					Host: `localhost:${portOf(url())}`,
					Origin: `http://localhost:${portOf(url())}`,
				}),
			],
		])('accepts a request for %s', async (_label, headers) => {
			const { status } = await http.get(url(), { headers: headers() });

			expect(status).toBe(allowedStatus);
		});
	});

	it.each([
		['an unknown key', 'Authorization', 'Bearer sk_live_0123456789', 'Bearer [masked]…6789'],
		['a short key', 'Authorization', 'Bearer sk_short', 'Bearer [masked]'],
		['a key without a scheme', 'Authorization', 'sk_live_0123456789', '[masked]…6789'],
		['a key in another header', 'X-Api-Key', 'sk_live_0123456789', '[masked]…6789'],
	])(
		'masks %s in the request log, unless it is a demo key',
		async (_label, name, value, logged) => {
			await http.get(`${sandbox.url}/v1/get_credit_balance`, { headers: { [name]: value } });

			const [request] = await sandbox.admin.requests();

			expect(request?.headers[name.toLowerCase()]).toBe(logged);
		},
	);

	it('shows a demo key in the request log', async () => {
		await new Client(sandbox, PRO).balance();

		const [request] = await sandbox.admin.requests();

		expect(request?.headers.authorization).toBe(`Bearer ${PRO}`);
	});

	it('masks the key of a configured account in the list of jobs', async () => {
		const key = 'sk_live_0123456789';
		const own = await startSandbox({ accounts: [{ key, plan: 'pro', credits: 10 }] });
		await new Client(own, key).start();

		const jobs = await own.admin.jobs();
		await own.close();

		expect(jobs).toMatchObject([{ key: '[masked]…6789' }]);
	});

	it('masks an unknown key in an error of the admin API', async () => {
		const change = sandbox.admin.setCredits('sk_live_0123456789', 1);

		await expect(change).rejects.toThrow('There is no account with the key [masked]…6789');
	});

	it('neither runs nor logs a request that it refuses', async () => {
		const client = new Client(sandbox, PRO);

		await client.http.post(
			'/v1/run_browser_agent',
			{ directive: 'Look around' },
			{ headers: { Origin: 'https://evil.example' } },
		);

		expect(await sandbox.admin.jobs()).toEqual([]);
		expect(await sandbox.admin.requests()).toEqual([]);
	});
});

function portOf(url: string): string {
	return new URL(url).port;
}

async function canConnect(host: string, port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect({ host, port, timeout: 1000 });
		const settle = (isConnected: boolean) => {
			socket.destroy();
			resolve(isConnected);
		};
		socket.once('connect', () => settle(true));
		socket.once('error', () => settle(false));
		socket.once('timeout', () => settle(false));
	});
}
