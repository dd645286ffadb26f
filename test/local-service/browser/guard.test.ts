import http from 'node:http';
import type { LookupAddress } from 'node:dns';
import os from 'node:os';

import { Server } from 'proxy-chain';

import { type Guard, type GuardSettings, startGuard } from '../../../local-service/browser/guard';
import { useServer } from '../../support/useServer';
import { waitFor } from '../../support/waitFor';

const server = useServer();
const LOOPBACK = { address: '127.0.0.1', family: 4 };
/** A public address, of which nobody in the test answers for anything. */
const PUBLIC = { address: '1.2.3.4', family: 4 };
const NOTHING = { allowedHosts: [] };

let guard: Guard | undefined;
let refusals: string[];
let lookUps: string[];

afterEach(async () => {
	await guard?.close();
	guard = undefined;
	jest.restoreAllMocks();
});

/** Starts a guard whose names stand for these addresses, one list after the other. */
async function guardWith(settings: GuardSettings, ...answers: LookupAddress[][]): Promise<Guard> {
	refusals = [];
	lookUps = [];
	guard = await startGuard(
		settings,
		(line) => refusals.push(line),
		async (name) => {
			lookUps.push(name);
			const answer = answers[Math.min(lookUps.length, answers.length) - 1];
			if (!answer) throw new Error('ENOTFOUND');
			return answer;
		},
	);
	return guard;
}

function port(): number {
	return Number(new URL(server.url).port);
}

/** Asks for a page through the guard, as Chromium does for http, and returns the status. */
async function get(host: string, { proxy }: Guard, password = proxy.password): Promise<number> {
	return await request(proxy.server, {
		path: `http://${host}:${port()}/`,
		headers: { 'proxy-authorization': basic(proxy.username, password) },
	});
}

/** Asks for a tunnel through the guard, as Chromium does for https and WebSockets. */
async function connect(host: string, { proxy }: Guard): Promise<number> {
	return await request(proxy.server, {
		method: 'CONNECT',
		path: `${host}:${port()}`,
		headers: { 'proxy-authorization': basic(proxy.username, proxy.password) },
	});
}

async function request(address: string, options: http.RequestOptions): Promise<number> {
	const { hostname, port: proxyPort } = new URL(address);
	return await new Promise((resolve, reject) => {
		const sent = http.request({ hostname, port: proxyPort, agent: false, ...options });
		sent.setTimeout(500, () => sent.destroy(new Error('no answer')));
		sent.on('error', reject);
		sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
		sent.on('connect', (response, socket) => {
			socket.destroy();
			resolve(response.statusCode ?? 0);
		});
		sent.end();
	});
}

function basic(username: string, password: string): string {
	return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

const FORMS: [string, typeof connect][] = [
	['a request', get],
	['a tunnel', connect],
];

describe('The guard', () => {
	it.each(FORMS)('lets through what goes to an allowed host: %s', async (_form, ask) => {
		const running = await guardWith({ allowedHosts: [`intranet:${port()}`] }, [LOOPBACK]);

		expect(await ask('intranet', running)).toBe(200);
		expect(refusals).toEqual([]);
	});

	it('takes an allowed host in any spelling of its name', async () => {
		const running = await guardWith({ allowedHosts: ['intranet'] }, [LOOPBACK]);

		expect(await get('INTRANET.', running)).toBe(200);
	});

	it('refuses another port of an allowed host', async () => {
		const running = await guardWith({ allowedHosts: ['intranet:1'] }, [LOOPBACK]);

		expect(await get('intranet', running)).toBe(403);
	});

	it('refuses what only begins or ends like an allowed host', async () => {
		const running = await guardWith({ allowedHosts: ['intranet'] }, [LOOPBACK]);

		expect(await get('intranet.example', running)).toBe(403);
		expect(await get('not-intranet', running)).toBe(403);
		expect(await get('a.intranet', running)).toBe(403);
	});

	it.each(FORMS)('refuses a name that stands for a private address: %s', async (_form, ask) => {
		const running = await guardWith(NOTHING, [LOOPBACK]);

		expect(await ask('public.example', running)).toBe(403);
		expect(server.arrivals).toEqual([]);
		expect(refusals).toEqual([
			`Refused: public.example:${port()} is a private address, and AGENT_ALLOWED_HOSTS does not allow it`,
		]);
	});

	it.each(FORMS)(
		'connects to the address that it has checked, whatever the name stands for later: %s',
		async (_form, ask) => {
			const running = await guardWith(NOTHING, [PUBLIC], [LOOPBACK]);

			await ask('rebinding.example', running).catch(() => {});

			expect(lookUps).toEqual(['rebinding.example']);
			expect(server.arrivals).toEqual([]);
		},
	);

	it('keeps a browser from the rebinding that a check alone does not see', async () => {
		const answers = [PUBLIC, LOOPBACK];
		const lookUp = () => answers.shift() ?? LOOPBACK;
		const checkingOnly = new Server({
			host: '127.0.0.1',
			port: 0,
			prepareRequestFunction: () => {
				expect(lookUp()).toBe(PUBLIC);
				const lookup = (
					_name: string,
					options: { all?: boolean },
					callback: (...results: unknown[]) => void,
				) => {
					const { address, family } = lookUp();
					if (options.all) callback(null, [{ address, family }]);
					else callback(null, address, family);
				};
				return { dnsLookup: lookup as never };
			},
		});
		await checkingOnly.listen();

		const address = `http://127.0.0.1:${checkingOnly.port}`;
		const status = await request(address, { path: `http://rebinding.example:${port()}/` });
		await checkingOnly.close(true);

		expect(status).toBe(200);
		expect(server.arrivals).toHaveLength(1);
	});

	it('leaves out the private ones of several addresses', async () => {
		const running = await guardWith(NOTHING, [PUBLIC, LOOPBACK]);

		await get('both.example', running).catch(() => {});

		expect(server.arrivals).toEqual([]);
	});

	it.each(['only.example', 'www.only.example'])(
		'lets through %s, if only that host',
		async (host) => {
			const settings = {
				onlyHosts: ['only.example'],
				allowedHosts: ['only.example', 'www.only.example'],
			};
			const running = await guardWith(settings, [LOOPBACK]);

			expect(await get(host, running)).toBe(200);
		},
	);

	it.each(['other.example', 'notonly.example', 'only.example.other'])(
		'refuses %s, if only another host',
		async (host) => {
			const settings = { onlyHosts: ['only.example'], allowedHosts: [host] };
			const running = await guardWith(settings, [LOOPBACK]);

			expect(await get(host, running)).toBe(403);
			expect(refusals).toEqual([`Refused: ${host}:${port()} is not in AGENT_ONLY_HOSTS`]);
			expect(lookUps).toEqual([]);
		},
	);

	it('refuses a private host that is one of the only hosts, but not allowed', async () => {
		const running = await guardWith({ ...NOTHING, onlyHosts: ['intranet'] }, [LOOPBACK]);

		expect(await get('intranet', running)).toBe(403);
	});

	it("refuses this machine's own public addresses, and those of its IPv6 network", async () => {
		jest.spyOn(os, 'networkInterfaces').mockReturnValue({
			eth0: [
				{ address: '1.2.3.4', family: 'IPv4', cidr: '1.2.3.4/24' },
				{ address: '2606:4700::5', family: 'IPv6', cidr: '2606:4700::5/64' },
			] as os.NetworkInterfaceInfo[],
		});
		const own = [PUBLIC.address, '::ffff:1.2.3.4', '2606:4700::5', '2606:4700:0:0:1::7'];

		for (const address of own) {
			const family = address.includes(':') ? 6 : 4;
			expect(await connect('own.example', await guardWith(NOTHING, [{ address, family }]))).toBe(
				403,
			);
			await guard?.close();
		}
		expect(refusals).toEqual([
			`Refused: own.example:${port()} is in this machine's own network, and AGENT_ALLOWED_HOSTS does not allow it`,
		]);
	});

	it('looks up a few names at a time, and none any more when it is closed', async () => {
		let isSlow = true;
		const asked: string[] = [];
		const running = await startGuard(
			NOTHING,
			() => {},
			async (name) => {
				asked.push(name);
				while (isSlow) await new Promise((resolve) => setTimeout(resolve, 5));
				return [LOOPBACK];
			},
		);
		const requests = Array.from(
			{ length: 10 },
			async (_, index) => await get(`slow-${index}`, running),
		);
		const ended = Promise.allSettled(requests);
		await waitFor(() => expect(asked).toHaveLength(3));
		const closed = running.close();
		isSlow = false;
		await Promise.all([closed, ended]);

		expect(asked).toHaveLength(3);
	});

	it('says that a name was not found', async () => {
		expect(await get('nowhere.example', await guardWith(NOTHING))).toBe(502);
		expect(refusals).toEqual([]);
	});

	it.each(['', 'wrong', 'x'.repeat(32)])('asks for its password, not %p', async (password) => {
		const running = await guardWith({ allowedHosts: ['intranet'] }, [LOOPBACK]);

		expect(await get('intranet', running, password)).toBe(407);
		expect(server.arrivals).toEqual([]);
	});

	it('listens on loopback only, and no longer when it is closed', async () => {
		const running = await guardWith({ allowedHosts: ['intranet'] }, [LOOPBACK]);
		const { hostname } = new URL(running.proxy.server);
		await running.close();

		expect(hostname).toBe('127.0.0.1');
		await expect(get('intranet', running)).rejects.toThrow('ECONNREFUSED');
		guard = undefined;
	});
});
