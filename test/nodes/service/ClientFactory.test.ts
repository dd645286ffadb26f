import { Readable } from 'node:stream';

import { ExecuteContext } from 'n8n-core';

import { ClientFactory, type N8nFunctions } from '../../../nodes/service/ClientFactory';
import { toAgentStart, toWorkflowStart } from '../../../nodes/service/startRequests';
import { connectClient } from '../../support/connectClient';
import { testClock } from '../../support/testClock';
import { setClock, testRuntime } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const KEY = 'key-of-the-account-1234';
const CALL = { group: '1' };
const GO = toAgentStart({ directive: 'Go' });

const server = useServer();
beforeEach(() => setClock(testClock()));
afterEach(() => jest.restoreAllMocks());
afterAll(() => setClock());

describe('ClientFactory', () => {
	it('sends the key, without the space around it, in the header only', async () => {
		server.answers({ body: { job_id: 'job_1', status: 'running' } });
		const client = await connectClient({ baseUrl: server.url, apiKey: ` ${KEY}\n` });

		await client.startJob(GO, CALL);
		await client.startJob(toWorkflowStart('wf_1', 'Go'), CALL);
		await client.getJob('job_1', CALL);
		await client.getCreditBalance(CALL);

		const keys = server.arrivals.map(({ headers }) => headers.authorization);
		const others = server.arrivals.map((arrival) => ({
			...arrival,
			headers: { ...arrival.headers, authorization: '' },
		}));
		expect(keys).toEqual(Array(4).fill(`Bearer ${KEY}`));
		expect(JSON.stringify(others)).not.toContain(KEY);
	});

	it('has n8n decrypt the credential once, not for every request', async () => {
		const getCredentials = jest.spyOn(ExecuteContext.prototype, 'getCredentials');
		const client = await connectClient({ baseUrl: server.url, apiKey: KEY });

		await client.getCreditBalance(CALL);
		await client.getCreditBalance(CALL);

		expect(getCredentials).toHaveBeenCalledTimes(1);
	});
});

describe('ClientFactory, for several items,', () => {
	/** A factory for items with these credentials; its clients are never used. */
	const factoryOf = (...credentials: Array<{ baseUrl: string; apiKey: string }>) => {
		const context = {
			getNode: () => ({}),
			getCredentials: async (_type: string, itemIndex = 0) => ({ ...credentials[itemIndex] }),
			helpers: {},
		} as unknown as N8nFunctions;
		return new ClientFactory(context, testRuntime());
	};
	const item = (baseUrl: string, apiKey = KEY) => ({ baseUrl, apiKey });

	it('has one client for credentials that differ only in their spelling', async () => {
		const other = item(' https://A.example/v1/ ', ` ${KEY}\n`);
		const factory = factoryOf(item('https://a.example'), other);

		const clients = [await factory.clientFor(0), await factory.clientFor(1)];

		expect(clients[1]).toBe(clients[0]);
		expect(await factory.resolvesToOneAccount(1)).toBe(true);
	});

	it.each([
		['another key', 'https://a.example', 'another-key'],
		['another URL', 'https://a.example/agents', KEY],
	])(
		'has a separate account for an item whose credential has %s',
		async (_label, baseUrl, apiKey) => {
			const factory = factoryOf(item('https://a.example'), item(baseUrl, apiKey));

			const clients = [await factory.clientFor(0), await factory.clientFor(1)];

			expect(clients[1]?.account).not.toBe(clients[0]?.account);
			expect(await factory.resolvesToOneAccount(1)).toBe(false);
		},
	);

	it('reads the credential of an item once', async () => {
		const credentials = item('https://a.example');
		const factory = factoryOf(credentials);

		const clients = [await factory.clientFor(0)];
		credentials.apiKey = 'another-key';
		clients.push(await factory.clientFor(0));

		expect(clients[1]).toBe(clients[0]);
	});

	it('removes a key that was entered with Bearer from a text that has it without', async () => {
		const factory = factoryOf(item('https://a.example', `"Bearer ${KEY}"`));
		await factory.clientFor(0);

		expect(factory.redact(`Unknown key ${KEY}`)).toBe('Unknown key [hidden]');
	});

	it('removes the key from texts of any length', async () => {
		const factory = factoryOf(item('https://a.example'));
		await factory.clientFor(0);
		const jobIds = Array.from({ length: 3_000 }, (_, index) => `job_${index}`).join(', ');

		expect(factory.redact(`${jobIds} ${KEY}`)).toBe(`${jobIds} [hidden]`);
	});
});

describe('The client of a credential that could not be loaded', () => {
	let credential: { baseUrl: string; apiKey: string } | undefined;
	let sentTo: string[];

	beforeEach(() => {
		credential = undefined;
		sentTo = [];
	});

	function unloadedClient() {
		const context = {
			getNode: () => ({}),
			getCredentials: async () => {
				if (credential === undefined) throw new Error('The vault is closed');
				return credential;
			},
			helpers: {
				httpRequestWithAuthentication: async (_type: string, { url }: { url: string }) => {
					sentTo.push(url);
					return { statusCode: 404, headers: {}, body: Readable.from(['{}']) };
				},
			},
		} as unknown as N8nFunctions;
		return new ClientFactory(context, testRuntime()).unloadedClient(0);
	}

	it('calls the service once it can be loaded', async () => {
		const client = unloadedClient();

		await expect(client.pauseJob('job_1')).rejects.toMatchObject({
			kind: 'unreachable',
			facts: { detail: 'The vault is closed' },
		});
		credential = { baseUrl: 'https://a.example/proxy', apiKey: KEY };
		await expect(client.pauseJob('job_1')).rejects.toMatchObject({
			kind: 'notFound',
			facts: { asked: 'POST /proxy/v1/pause_job/job_1 at a.example' },
		});

		expect(sentTo).toEqual(['https://a.example/proxy/v1/pause_job/job_1']);
	});

	it('sends no key to another service than before', async () => {
		const client = unloadedClient();
		credential = { baseUrl: 'https://a.example', apiKey: KEY };
		await client.pauseJob('job_1').catch(() => {});

		credential = { baseUrl: 'https://b.example', apiKey: 'key-of-another-one-5678' };
		const again = client.pauseJob('job_1');

		await expect(again).rejects.toMatchObject({ kind: 'unreachable' });
		expect(sentTo).toHaveLength(1);
	});

	it('hides the key that it has loaded', async () => {
		const client = unloadedClient();
		credential = { baseUrl: 'https://a.example', apiKey: KEY };

		await client.pauseJob('job_1').catch(() => {});

		expect(client.redactor.toPlainText(`Rejected ${KEY}`)).not.toContain(KEY);
	});
});
