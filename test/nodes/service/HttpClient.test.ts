import type { ServerResponse } from 'node:http';
import type { Transform, Writable } from 'node:stream';
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib';

import * as httpResponse from '../../../nodes/service/httpResponse';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf, type ClientOptions } from '../../support/connectClient';
import { eventually } from '../../support/eventually';
import { fakeClock, type FakeClock } from '../../support/fakeClock';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';

const KEY = 'key-of-the-account-1234';
const CDP_URL = 'https://browser.example.com/devtools/browser/1a2b3c4d5?token=s%C3%A9cret-123';
const MB = 1024 * 1024;
const GO = toAgentStart({ directive: 'Go', cdp_url: CDP_URL });

/** One call of each kind. */
const CALLS = {
	start: async (client: ServiceClient, signal?: AbortSignal) =>
		await client.startJob(GO, { signal }),
	status: async (client: ServiceClient, signal?: AbortSignal) =>
		await client.getJob('job_1', { signal }),
	files: async (client: ServiceClient, signal?: AbortSignal) =>
		await client.getJobFiles('job_1', { signal }),
	balance: async (client: ServiceClient, signal?: AbortSignal) =>
		await client.getCreditBalance({ signal }),
	pause: async (client: ServiceClient, signal?: AbortSignal) =>
		await client.pauseJob('job_1', { signal }),
	health: async (client: ServiceClient, signal?: AbortSignal) => await client.getHealth({ signal }),
};

describe('HttpClient', () => {
	const server = useServer();
	const other = useServer();
	let clock: FakeClock;

	beforeEach(() => {
		clock = fakeClock();
		setClock(clock);
	});
	afterEach(() => {
		jest.restoreAllMocks();
		setServiceLimits();
		setClock();
	});

	const connect = async (more: Partial<ClientOptions> = {}) =>
		await connectClient({ baseUrl: server.url, apiKey: KEY, ...more });

	it.each([401, 402, 403, 404, 422, 429, 500, 503])(
		'sends a start only once if the response is %i',
		async (statusCode) => {
			server.answers({ statusCode, body: { detail: 'No' } });

			const error = await serviceErrorOf((await connect()).startJob(GO));

			expect(error.facts).toMatchObject({ statusCode, detail: 'No' });
			expect(server.arrivals).toHaveLength(1);
		},
	);

	it.each([301, 302, 303, 307, 308])(
		'follows no redirect (%i), which would take the key along',
		async (statusCode) => {
			server.answers({ statusCode, headers: { Location: `${other.url}/v1/run_browser_agent` } });
			const client = await connect();

			const errors = await Promise.all([
				serviceErrorOf(client.startJob(GO)),
				serviceErrorOf(client.getJob('job_1')),
			]);
			await client.getHealth();

			expect(errors.map(({ kind }) => kind)).toEqual(['redirect', 'redirect']);
			expect(server.arrivals).toHaveLength(3);
			expect(other.arrivals).toEqual([]);
		},
	);

	it('passes on the time after which the service wants the next request', async () => {
		server.answers({ statusCode: 503, headers: { 'Retry-After': '7' } });

		const { facts } = await serviceErrorOf((await connect()).getCreditBalance());

		expect(facts).toMatchObject({ kind: 'serverError', retryAfterMs: 7_000 });
	});

	describe('with a response of any size', () => {
		/** Sends JSON text of this size. */
		const respondWith = (bytes: number) => {
			const text = '{"job_id":"job_1","status":"running"}';
			server.answers({ body: text + ' '.repeat(bytes - text.length) });
		};

		it.each([
			['status', 10],
			['start', 5],
			['files', 5],
			['balance', 5],
			['pause', 5],
		] as const)('reads a %s of up to %i MB', async (call, limitMb) => {
			const client = await connect();
			respondWith(limitMb * MB);
			const read = await CALLS[call](client);
			respondWith(limitMb * MB + 1);

			const error = await serviceErrorOf(CALLS[call](client));

			expect(read).toBeDefined();
			expect(error.facts).toEqual({ kind: 'tooLarge', detail: `over ${limitMb} MB` });
			expect(error.isDefinitelyNotProcessed).toBe(false);
		});

		it('reads the text of an error of up to 5 MB, and only the status of a larger one', async () => {
			const client = await connect();
			const text = '{"detail":"No length"}';
			const respondWithError = (bytes: number) =>
				server.answers({ statusCode: 411, body: text + ' '.repeat(bytes - text.length) });
			respondWithError(5 * MB);
			const read = await serviceErrorOf(client.pauseJob('job_1'));
			respondWithError(5 * MB + 1);

			const error = await serviceErrorOf(client.pauseJob('job_1'));

			expect(read.facts).toEqual({ kind: 'rejected', statusCode: 411, detail: 'No length' });
			expect(error.facts).toEqual({ kind: 'rejected', statusCode: 411 });
		});

		/** Sends bytes until nobody takes them. */
		const sendForever = (statusCode: number, encoding: keyof typeof COMPRESSORS) => {
			const response = { isClosed: false };
			server.answers((_arrival, outgoing) => {
				outgoing.on('close', () => (response.isClosed = true));
				outgoing.writeHead(statusCode, { 'Content-Encoding': encoding });
				const chunk = Buffer.alloc(MB, ' ');
				const target = COMPRESSORS[encoding](outgoing);
				const write = () => {
					if (outgoing.destroyed) return;
					target.write(chunk, () => setImmediate(write));
				};
				write();
			});
			return response;
		};

		it.each(['identity', 'gzip', 'deflate', 'br'] as const)(
			'closes the connection of an endless one, encoded as %s',
			async (encoding) => {
				clock.hold();
				const response = sendForever(200, encoding);

				const error = await serviceErrorOf((await connect()).startJob(GO));

				expect(error.facts).toEqual({ kind: 'tooLarge', detail: 'over 5 MB' });
				await eventually(() => expect(response.isClosed).toBe(true));
			},
		);

		it('keeps the status of an endless error, and closes the connection', async () => {
			clock.hold();
			const response = sendForever(402, 'gzip');

			const error = await serviceErrorOf((await connect()).startJob(GO));

			expect(error.facts).toEqual({ kind: 'insufficientCredits', statusCode: 402 });
			await eventually(() => expect(response.isClosed).toBe(true));
		});
	});

	it.each([
		['cut off', (response: ServerResponse) => response.destroy()],
		['not what its encoding says', (response: ServerResponse) => response.end()],
	])('keeps the status of an error whose body is %s', async (_label, end) => {
		server.answers((_arrival, response) => {
			response.writeHead(403, { 'Content-Encoding': 'gzip' });
			response.write('{"detail": "No such', () => end(response));
		});

		const error = await serviceErrorOf((await connect()).startJob(GO));

		expect(error.facts).toEqual({ kind: 'forbidden', statusCode: 403 });
	});

	describe('with a slow response', () => {
		beforeEach(() => clock.hold());

		const stopAfterHead = () =>
			server.answers((_arrival, response) => {
				response.writeHead(200, { 'Content-Length': '100' });
				response.write('{"job_id"');
			});

		const hasArrived = async () => await eventually(() => expect(server.arrivals).toHaveLength(1));
		const watchReading = () => {
			const readText = jest.spyOn(httpResponse, 'readText');
			return async () => await eventually(() => expect(readText).toHaveBeenCalled());
		};

		it.each([
			['start', 120_000],
			['status', 30_000],
			['files', 30_000],
			['balance', 30_000],
			['pause', 30_000],
		] as const)('gives up a %s after %i ms', async (call, timeoutMs) => {
			server.answers(() => {});
			const hasEnded = jest.fn();
			const error = serviceErrorOf(CALLS[call](await connect()));
			void error.then(hasEnded);
			await hasArrived();

			await clock.advance(timeoutMs - 1);
			await new Promise(setImmediate);
			expect(hasEnded).not.toHaveBeenCalled();
			await clock.advance(1);

			expect((await error).facts).toEqual({ kind: 'timeout', detail: 'it took too long' });
		});

		it('gives up a status 3 s after its deadline, although it had to wait for its turn', async () => {
			const onePerWindow = { calls: 1, windowMs: 8_000 };
			setServiceLimits({ start: onePerWindow, status: onePerWindow, balance: onePerWindow });
			const client = await connect();
			server.answers({ body: { status: 'running' } });
			await client.getJob('job_1');
			server.answers(() => {});
			const deadline = clock.now() + 10_000;
			const hasEnded = jest.fn();
			void serviceErrorOf(client.getJob('job_1', { deadline })).then(hasEnded);
			await clock.advance(9_000);
			await eventually(() => expect(server.arrivals).toHaveLength(2));

			await clock.advance(deadline + 3_000 - clock.now());

			await eventually(() => expect(hasEnded).toHaveBeenCalled());
		});

		it('gives up a body that does not end in the same time', async () => {
			const untilRead = watchReading();
			stopAfterHead();
			const error = serviceErrorOf((await connect()).getJob('job_1'));
			await untilRead();

			await clock.advance(30_000);

			expect((await error).facts).toEqual({ kind: 'timeout' });
		});

		it('is ended by its signal before the head', async () => {
			server.answers(() => {});
			const stop = new AbortController();
			const error = serviceErrorOf((await connect()).getJob('job_1', { signal: stop.signal }));
			await hasArrived();

			stop.abort();

			expect((await error).facts).toEqual({ kind: 'aborted' });
		});

		it('is ended by its signal within the body', async () => {
			const untilRead = watchReading();
			stopAfterHead();
			const stop = new AbortController();
			const error = serviceErrorOf((await connect()).getJob('job_1', { signal: stop.signal }));
			await untilRead();

			stop.abort();

			expect((await error).facts).toEqual({ kind: 'aborted' });
		});
	});

	describe('within a rate limit', () => {
		const oneStartPerSecond = { calls: 1, windowMs: 1_000 };

		it.each([
			['succeeds', 200],
			['fails', 500],
		])('ends the turn of a request that %s', async (_label, statusCode) => {
			setServiceLimits({
				start: oneStartPerSecond,
				status: oneStartPerSecond,
				balance: oneStartPerSecond,
			});
			server.answers({ statusCode, body: { status: 'running' } });
			const client = await connect();

			for (let call = 0; call < 3; call++) await client.getJob('job_1').catch(() => {});

			expect(server.arrivals).toHaveLength(3);
			expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(2 * 1_002);
		});

		it('lets the limiter learn from a 429', async () => {
			server.answers({ statusCode: 429, headers: { 'Retry-After': '12' } });
			const client = await connect();
			await serviceErrorOf(client.startJob(GO));
			const before = clock.now();

			await serviceErrorOf(client.startJob(GO));

			expect(clock.now() - before).toBeGreaterThanOrEqual(12_000);
		});

		it('calls onSending once the turn has come', async () => {
			const onSending = jest.fn(() => expect(server.arrivals).toEqual([]));
			const client = await connect();
			server.answers({ body: { job_id: 'job_1' } });

			await client.startJob(GO, {}, onSending);
			await serviceErrorOf(client.startJob(GO, { signal: AbortSignal.abort() }, onSending));

			expect(onSending).toHaveBeenCalledTimes(1);
			expect(server.arrivals).toHaveLength(1);
		});
	});

	describe('with a body that is no object', () => {
		it.each<[string, unknown, string | undefined]>([
			['a web page', `<title>Hello ${KEY}</title>`, 'a web page'],
			['broken JSON', '{"status": "runn', '{"status": "runn'],
			['a text', '"job_1"', 'job_1'],
			['a list', [{ status: 'running' }], undefined],
			['null', 'null', undefined],
			['nothing', undefined, undefined],
		])('is unreadable, and says what came: %s', async (_label, body, detail) => {
			server.answers({ body });

			const error = await serviceErrorOf((await connect()).getJob('job_1'));

			expect(error.facts).toEqual({ kind: 'unreadable', statusCode: 200, detail });
		});

		it('reads text behind a byte order mark', async () => {
			server.answers({ body: '\ufeff{"status":"running"}' });

			expect(await (await connect()).getJob('job_1')).toMatchObject({ status: 'running' });
		});
	});

	describe('redacts', () => {
		it.each([
			['the key', `Bearer ${KEY} is not known`],
			['the key in an address', `https://example.com/?key=${encodeURIComponent(KEY)}`],
			["the browser's address", `cannot connect to ${CDP_URL}`],
			["the browser's address in JSON", JSON.stringify({ input: CDP_URL })],
			["the browser's address in an address", `?to=${encodeURIComponent(CDP_URL)}`],
			["a part of the browser's address", 'no such browser: 1a2b3c4d5'],
			["another browser's address", 'try wss://other.example.com/s%C3%A9cret-123 first'],
		])('%s in what the service says', async (_label, detail) => {
			server.answers({ statusCode: 400, body: { detail } });

			const { facts, message } = await serviceErrorOf((await connect()).startJob(GO));

			expect(message).toBe(facts.detail);
			expect(message).toContain('[hidden]');
			expect(message).not.toMatch(/key-of|s%C3%A9cret|1a2b3c/);
		});

		it.each([
			['a start', CALLS.start],
			['a status', CALLS.status],
		])("the browser's address in the response to %s", async (_label, call) => {
			const client = await connect();
			const body = {
				job_id: 'job_1',
				status: 'running',
				cdp_url: 'https://b.example/job_1?t=tok3n-123',
			};
			server.answers({ body });
			await call(client);
			server.answers({ statusCode: 500, body: { detail: 'job_1 lost tok3n-123' } });

			const { facts } = await serviceErrorOf(client.getJob('job_1'));

			expect(facts.detail).toBe('job_1 lost [hidden]');
		});

		it('the message of a request that was not sent', async () => {
			const client = await connect({
				onRequest: () => {
					throw new Error(`<b>${KEY}</b> is blocked`);
				},
			});

			const { facts } = await serviceErrorOf(client.getJob('job_1'));

			expect(facts).toEqual({ kind: 'notSent', detail: '‹b›[hidden]‹/b› is blocked' });
		});
	});
});

// Brotli's default takes seconds for a few megabytes.
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY } };

/** Where to write what is to be sent in this encoding. */
const COMPRESSORS = {
	identity: (response: ServerResponse): Writable => response,
	gzip: (response: ServerResponse) => pipeTo(createGzip(), response),
	deflate: (response: ServerResponse) => pipeTo(createDeflate(), response),
	br: (response: ServerResponse) => pipeTo(createBrotliCompress(QUICK), response),
};

function pipeTo(compressor: Transform, response: ServerResponse): Writable {
	compressor.pipe(response);
	return compressor;
}
