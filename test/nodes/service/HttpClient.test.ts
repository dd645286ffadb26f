import { NodeFailure } from '../../../nodes/errors/NodeFailure';
import { createClient } from '../../../nodes/service/ClientFactory';
import { ExecuteContext } from 'n8n-core';
import { createGzip } from 'node:zlib';

import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf, type ClientOptions } from '../../support/connectClient';
import { testClock } from '../../support/testClock';
import { setClock, setServiceLimits, testRuntime } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';
import { waitFor } from '../../support/waitFor';

const KEY = 'key-of-the-account-1234';
const TOKEN = 'tok3n-0123456789';
const CDP_URL = `https://browser.example.com/devtools/browser/1a2b3c4d5?token=${TOKEN}`;
const MB = 1024 * 1024;
const CALL = { group: '1' };
const GO = toAgentStart({ directive: 'Go', cdp_url: CDP_URL });

/** A call that may take long, and one that may not. */
const CALLS = {
	start: async (client: ServiceClient) => await client.startJob(GO, CALL),
	status: async (client: ServiceClient) => await client.getJob('job_1', CALL),
};

const server = useServer();
const other = useServer();
let clock: SimulatedClock;

beforeEach(() => {
	clock = testClock();
	setClock(clock);
});
afterEach(() => {
	jest.restoreAllMocks();
	setServiceLimits();
	setClock();
});

const connect = async (more: Partial<ClientOptions> = {}) =>
	await connectClient({ baseUrl: server.url, apiKey: KEY, ...more });

describe('HttpClient', () => {
	it('follows no redirect, which would pass on the key', async () => {
		const headers = { Location: `${other.url}/v1/run_browser_agent` };
		server.answers({ statusCode: 307, headers });
		const client = await connect();

		const errors = await Promise.all([
			serviceErrorOf(client.startJob(GO, CALL)),
			serviceErrorOf(client.getJob('job_1', CALL)),
		]);
		await client.getHealth();

		expect(errors.map(({ kind }) => kind)).toEqual(['redirect', 'redirect']);
		expect(server.arrivals).toHaveLength(3);
		expect(other.arrivals).toEqual([]);
	});

	it('keeps the status of an error whose body is cut off', async () => {
		server.answers((_arrival, response) => {
			response.writeHead(403, { 'Content-Encoding': 'gzip' });
			response.write('{"detail": "No such', () => response.destroy());
		});

		const error = await serviceErrorOf((await connect()).startJob(GO, CALL));

		expect(error.facts).toEqual({ kind: 'forbidden', statusCode: 403, isFromService: false });
	});

	it.each([200, 500])('ends the turn of a request with status %i', async (statusCode) => {
		const onePerSecond = { calls: 1, windowMs: 1_000 };
		setServiceLimits({ start: onePerSecond, status: onePerSecond, balance: onePerSecond });
		server.answers({ statusCode, body: { status: 'running' } });
		const client = await connect();
		const began = clock.now();

		for (let call = 0; call < 3; call++) await client.getJob('job_1', CALL).catch(() => {});

		expect(server.arrivals).toHaveLength(3);
		expect(clock.now() - began).toBe(2 * 1_002);
	});

	it('finds a web page unreadable', async () => {
		server.answers({ body: `<title>Hello ${KEY}</title>` });

		const { facts } = await serviceErrorOf((await connect()).getJob('job_1', CALL));

		expect(facts).toMatchObject({ kind: 'unreadable', isPage: true, detail: 'a web page' });
	});

	it('reads text behind a byte order mark', async () => {
		server.answers({ body: '\ufeff{"status":"running"}' });

		expect(await (await connect()).getJob('job_1', CALL)).toMatchObject({ status: 'running' });
	});
});

describe('HttpClient', () => {
	it('reads a response of up to 5 MB', async () => {
		const client = await connect();
		const text = '{"job_id":"job_1","status":"running"}';
		server.answers({ body: text.padEnd(5 * MB) });
		const read = await CALLS.start(client);
		server.answers({ body: text.padEnd(5 * MB + 1) });

		const error = await serviceErrorOf(CALLS.start(client));

		expect(read.job_id).toBe('job_1');
		expect(error.facts).toEqual({ kind: 'tooLarge', detail: 'it is larger than 5 MB' });
		expect(error.provesNothingWasDone).toBe(false);
	});

	it.each<[number, object]>([
		[200, { kind: 'tooLarge', detail: 'it is larger than 5 MB' }],
		[402, { kind: 'insufficientCredits', statusCode: 402, isFromService: false }],
	])('closes the connection of an endless response with status %i', async (statusCode, facts) => {
		clock.hold();
		let isClosed = false;
		server.answers((_arrival, outgoing) => {
			outgoing.on('close', () => (isClosed = true));
			outgoing.writeHead(statusCode, { 'Content-Encoding': 'gzip' });
			const zip = createGzip();
			zip.pipe(outgoing);
			const write = () => {
				if (!outgoing.destroyed) zip.write(Buffer.alloc(MB, ' '), () => setImmediate(write));
			};
			write();
		});

		const error = await serviceErrorOf((await connect()).startJob(GO, CALL));

		expect(error.facts).toEqual(facts);
		await waitFor(() => expect(isClosed).toBe(true));
	});
});

describe('HttpClient with a slow response', () => {
	beforeEach(() => clock.hold());

	const hasArrived = async () => await waitFor(() => expect(server.arrivals).toHaveLength(1));

	it.each([
		['start', 300_000],
		['status', 30_000],
	] as const)('gives up a %s after %i ms', async (call, timeoutMs) => {
		server.answers(() => {});
		const hasEnded = jest.fn();
		const error = serviceErrorOf(CALLS[call](await connect()));
		void error.then(hasEnded);
		await hasArrived();

		await clock.advance(timeoutMs - 1);
		expect(hasEnded).not.toHaveBeenCalled();
		await clock.advance(1);

		expect((await error).facts).toEqual({ kind: 'timeout' });
	});

	it.each(['aborted', 'timeout'] as const)(
		"ends a status check with '%s' within the body",
		async (kind) => {
			server.answers((_arrival, response) => void response.writeHead(200).write('{"job_id"'));
			const stop = new AbortController();
			const call = { ...CALL, signal: stop.signal };
			const error = serviceErrorOf((await connect()).getJob('job_1', call));
			// The head has arrived when nothing moves anymore.
			await clock.advance(1_000);

			if (kind === 'aborted') stop.abort();
			else await clock.advance(29_000);

			expect((await error).facts).toEqual({ kind });
		},
	);
});

describe('HttpClient redacts', () => {
	it("the browser's address that was sent, in what the service says", async () => {
		server.answers({ statusCode: 400, body: { detail: `no such browser: ${CDP_URL}` } });

		const { message } = await serviceErrorOf((await connect()).startJob(GO, CALL));

		expect(message).toBe('no such browser: [hidden]');
	});

	it.each([
		['a start', CALLS.start],
		['a status', CALLS.status],
	])("the browser's address in the response to %s", async (_label, call) => {
		const client = await connect();
		const cdp_url = `https://b.example/job_1?t=${TOKEN}`;
		server.answers({ body: { job_id: 'job_1', status: 'running', cdp_url } });
		await call(client);
		server.answers({ statusCode: 500, body: { detail: `job_1 lost ${cdp_url}` } });

		const { facts } = await serviceErrorOf(client.getJob('job_1', CALL));

		expect(facts.detail).toBe('job_1 lost [hidden]');
	});

	it('the message of a request that was not sent', async () => {
		const client = await connect({
			onRequest: () => {
				throw new NodeFailure(`<b>${KEY}</b> is blocked`);
			},
		});

		const { facts } = await serviceErrorOf(client.getJob('job_1', CALL));

		expect(facts).toEqual({ kind: 'notSent', detail: '‹b›[hidden]‹/b› is blocked' });
	});
});

describe('A call whose key is not accepted', () => {
	it('has ended its turn when the credential is read again', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 1, windowMs: 1_000 } });
		const client = await connect();
		jest.spyOn(ExecuteContext.prototype, 'getCredentials').mockReturnValue(new Promise(() => {}));
		server.answers({ statusCode: 401, body: { detail: 'No' } });
		void CALLS.status(client).catch(() => {});
		await waitFor(() => expect(server.arrivals).toHaveLength(1));
		server.answers({ body: { job_id: 'job_1', status: 'running' } });

		const second = CALLS.status(client);
		await clock.advance(2_000);

		expect(await second).toMatchObject({ status: 'running' });
	});
});

describe('A call that was not sent', () => {
	it("reads no credential again for another call's 401", async () => {
		server.answers({ statusCode: 401, body: { detail: 'No' } });
		const unauthorized = await serviceErrorOf(CALLS.status(await connect()));
		let reads = 0;
		const data = { baseUrl: server.url, apiKey: KEY };
		const send = async () => await Promise.reject(new Error('It was sent'));
		const client = createClient(data, send, testRuntime(), async () => ++reads > 0);
		const beforeSending = () => {
			throw unauthorized;
		};

		const start = client.startJob(GO, { ...CALL, beforeSending });

		await expect(start).rejects.toBe(unauthorized);
		expect(reads).toBe(0);
	});
});
