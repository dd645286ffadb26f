import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { toAgentStart } from '../../../nodes/service/startRequests';
import { connectClient, serviceErrorOf } from '../../support/connectClient';
import { testClock } from '../../support/testClock';
import { setClock, setServiceLimits } from '../../support/testRuntime';
import { useServer } from '../../support/useServer';
import { waitFor } from '../../support/waitFor';

const JOB = 'job_1';
const MINUTE_MS = 60_000;
const ONE_A_MINUTE = { calls: 1, windowMs: MINUTE_MS };
const CALL = { group: '1' };
const GO = toAgentStart({ directive: 'Go' });

const server = useServer();
let clock: SimulatedClock;
let client: ServiceClient;

beforeEach(async () => {
	clock = testClock();
	setClock(clock);
	client = await connectClient({ baseUrl: server.url });
});
afterEach(() => {
	setServiceLimits();
	setClock();
});

describe('ServiceClient.startJob', () => {
	it.each([
		['only an ID', { job_id: JOB }, { job_id: JOB }],
		['an ID that is a number', { job_id: 17 }, { job_id: '17' }],
		['an empty link', { job_id: JOB, live_url: '' }, { job_id: JOB }],
	])('accepts a response with %s', async (_label, body, expected) => {
		server.answers({ statusCode: 202, body });

		const started = await client.startJob(GO, CALL);

		expect(started).toEqual({ ...expected, body });
	});

	it.each([
		['no ID', { status: 'running' }],
		['an ID that is no segment of a path', { job_id: '../credits' }],
	])('is unclear after a response with %s', async (_label, body) => {
		server.answers({ body });

		const error = await serviceErrorOf(client.startJob(GO, CALL));

		expect(error.facts).toMatchObject({
			kind: 'unreadable',
			detail: JSON.stringify(body),
		});
		expect(error.provesNothingWasDone).toBe(false);
	});
});

describe('ServiceClient.getJob', () => {
	it.each([
		['with white space around it', ' Completed\n', 'completed'],
		['in the British spelling', 'cancelled ', 'canceled'],
	])('returns a status %s as the document writes it', async (_label, status, expected) => {
		server.answers({ body: { status } });

		expect(await client.getJob(JOB, CALL)).toMatchObject({ job_id: JOB, status: expected });
	});

	it.each([
		['missing', undefined],
		['blank', ' '],
	])('cannot read a job whose status is %s', async (_label, status) => {
		server.answers({ body: { job_id: JOB, status } });

		const { facts } = await serviceErrorOf(client.getJob(JOB, CALL));

		expect(facts).toMatchObject({
			kind: 'unreadable',
			statusCode: 200,
			detail: expect.stringContaining('"job_id":"job_1"') as string,
		});
	});

	it.each([
		['with fields that are null', { job_id: null, output: null, error: null }],
		['with data', { data: { code: 7 } }],
		['with an error', { error: 'Lost' }],
	])(
		"takes an error status %s for a refused call, in the service's words",
		async (_label, more) => {
			server.answers({ body: { status: ' Error', message: 'No session', ...more } });

			const error = await serviceErrorOf(client.getJob(JOB, CALL));

			expect(error.facts).toEqual({
				kind: 'rejected',
				statusCode: 200,
				isFromService: true,
				detail: expect.stringContaining('"message":"No session"') as string,
			});
			expect(error.isRefusal).toBe(true);
		},
	);

	it.each([
		['its ID', { job_id: JOB }],
		['its output', { output: '' }],
	])("takes an error status for a job's if the response has %s", async (_label, more) => {
		server.answers({ body: { status: 'error', ...more } });

		expect((await client.getJob(JOB, CALL)).status).toBe('error');
	});
});

it('ServiceClient takes no web page for the response to a pause', async () => {
	server.answers({ body: '<html>Sign in</html>' });

	const { facts } = await serviceErrorOf(client.pauseJob(JOB));

	expect(facts).toMatchObject({ kind: 'unreadable', isPage: true });
});

describe('ServiceClient with retry', () => {
	it('repeats a read after a transient error', async () => {
		server.answers({ statusCode: 503 });

		await serviceErrorOf(client.getJobFiles(JOB, { retry: true }));

		expect(server.arrivals).toHaveLength(3);
	});
});

describe('ServiceClient, once the calls that the rate limit allows are used,', () => {
	const READS = {
		status: async (options = {}) => await client.getJob(JOB, { ...CALL, ...options }),
		balance: async (options = {}) => await client.getCreditBalance({ ...CALL, ...options }),
	};

	/** Allows one call of each kind in a window, and makes them. */
	async function useCalls({ windowMs = MINUTE_MS } = {}): Promise<void> {
		const status = { calls: 1, windowMs };
		setServiceLimits({ start: ONE_A_MINUTE, balance: ONE_A_MINUTE, status });
		client = await connectClient({ baseUrl: server.url });
		server.answers({ body: { job_id: JOB, status: 'running' } });
		await Promise.all([client.startJob(GO, CALL), READS.status(), READS.balance()]);
		server.arrivals.length = 0;
	}

	it.each(['status', 'balance'] as const)(
		'gives up a read of the %s when it has waited as long as it may',
		async (read) => {
			await useCalls();
			const before = clock.now();

			const error = await serviceErrorOf(READS[read]({ maxQueueMs: 2_000 }));

			expect(error.kind).toBe('queueTimeout');
			expect(clock.now() - before).toBe(2_000);
			expect(server.arrivals).toEqual([]);
		},
	);

	it('gives up a read after five minutes, as a Stop may not reach a worker', async () => {
		await useCalls({ windowMs: 60 * MINUTE_MS });
		const before = clock.now();

		const error = await serviceErrorOf(client.getJob(JOB, CALL));

		expect(error.kind).toBe('queueTimeout');
		expect(clock.now() - before).toBe(5 * MINUTE_MS);
	});

	it('gives up a read at its end time', async () => {
		await useCalls();
		const endBy = clock.now() + 1_000;

		const error = await serviceErrorOf(client.getJob(JOB, { ...CALL, endBy }));

		expect(error.kind).toBe('queueTimeout');
		expect(clock.now()).toBe(endBy);
		expect(server.arrivals).toEqual([]);
	});

	it('sends a pause and a list of files at once', async () => {
		await useCalls();
		server.answers({ body: { files: [] } });
		const before = clock.now();

		await client.pauseJob(JOB);
		await client.getJobFiles(JOB);

		expect(clock.now()).toBe(before);
	});
});

describe('ServiceClient, when a call with an end time is not answered,', () => {
	const CALLS = {
		pause: async (endBy: number) => await client.pauseJob(JOB, { endBy }),
		'list of files': async (endBy: number) => await client.getJobFiles(JOB, { endBy }),
	};

	it.each([
		['pause', '3 s after its end time', 10_000, 13_000],
		['pause', '3 s after it was sent, if the end time has passed', -10_000, 3_000],
		['pause', '30 s after it was sent, if the end time is later', 60_000, 30_000],
		['list of files', '3 s after its end time', 10_000, 13_000],
	] as const)('gives up a %s %s', async (call, _when, endsInMs, timeoutMs) => {
		server.answers(() => {});
		const before = clock.now();

		const error = await serviceErrorOf(CALLS[call](before + endsInMs));

		expect(error.kind).toBe('timeout');
		expect(clock.now() - before).toBe(timeoutMs);
	});
});

it('A call whose signal is aborted ends, although the credential is still being read again', async () => {
	const stop = new AbortController();
	server.answers({ statusCode: 401, body: { detail: 'Invalid API key' } });
	const reading = new Promise<boolean>(() => {});
	const read = jest.spyOn(client, 'hasNewKey').mockReturnValue(reading);
	const failed = serviceErrorOf(client.getCreditBalance({ ...CALL, signal: stop.signal }));
	await waitFor(() => expect(read).toHaveBeenCalled());

	stop.abort();

	expect((await failed).kind).toBe('unauthorized');
});
