import type { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { testClock } from '../../support/testClock';
import { createPollHost, ENGINES, eventsOf, type TriggerSetup } from '../../support/pollNode';
import { jobIdsUpTo, showsJob, stubJobs, type StubResponse } from '../../support/stubNetwork';
import { setClock } from '../../support/testRuntime';

const SERVICE = { url: 'https://api.example.com' };
const KEY = 'sandbox-pro-key';
const COMPLETED = showsJob('completed');
const RUNNING = showsJob('running');

const TRANSIENT: Array<[string, StubResponse, object]> = [
	[
		'a rate limit with a time to wait',
		{ statusCode: 429, headers: { 'retry-after': '40' } },
		{ cause: 'rate-limited', retryAfterMs: 40_000 },
	],
	['a rate limit', { statusCode: 429 }, { cause: 'rate-limited' }],
	[
		'a service that is down',
		{ statusCode: 503, headers: { 'retry-after': '30' } },
		{ cause: 'temporarily-unavailable', retryAfterMs: 30_000 },
	],
	['an error of the service', { statusCode: 500 }, { cause: 'temporarily-unavailable' }],
	['a lost connection', { errorCode: 'ECONNRESET' }, { cause: 'temporarily-unavailable' }],
	[
		'a service that is unreachable',
		{ errorCode: 'ECONNREFUSED' },
		{ cause: 'temporarily-unavailable' },
	],
	['an unreadable response', { body: '<html>' }, { cause: 'temporarily-unavailable' }],
];

let clock: SimulatedClock;

beforeEach(() => setClock((clock = testClock())));
afterAll(() => setClock());

/** A trigger that watches two jobs or more, whose responses the test sets. */
function hostFor(count: number, response: StubResponse, more: Partial<TriggerSetup> = {}) {
	const jobs = stubJobs(response);
	const jobIds = jobIdsUpTo(count).join();
	const host = createPollHost(SERVICE, { jobIds }, { respond: jobs.respond, ...more });
	return { host, jobs };
}

describe('BrowserAgentTrigger', () => {
	it.each(TRANSIENT)(
		'is published in spite of %s, and emits the event later',
		async (_label, response) => {
			const { host, jobs } = hostFor(1, COMPLETED);
			jobs.responses.job_1 = response;

			const atFirst = await host.publish();
			jobs.responses = {};
			await clock.advance(60_000);
			const later = await host.tick();

			expect(atFirst).toEqual([]);
			expect(host.failures).toEqual([]);
			expect(eventsOf(later)).toEqual([['job_1', 'completed']]);
		},
	);

	describe.each(ENGINES)("in n8n's %s engine", (engine) => {
		it.each(TRANSIENT)('fails a poll with a cause for %s', async (_label, response, failure) => {
			const { host, jobs } = hostFor(1, RUNNING, { engine });
			await host.publish();
			jobs.responses.job_1 = response;

			await host.tick();

			expect(host.executions).toEqual([]);
			expect(host.failures).toMatchObject([
				{ message: expect.stringMatching(/^Job job_1: /), failure },
			]);
		});

		it('fails a poll when the key is rejected', async () => {
			const { host, jobs } = hostFor(1, RUNNING, { engine });
			await host.publish();
			jobs.responses.job_1 = { statusCode: 401 };

			await host.tick();

			expect(host.failures).toMatchObject([
				{ httpCode: '401', failure: { cause: 'credential-invalid' } },
			]);
		});
	});

	it.each<[string, StubResponse]>([
		['is transient', { statusCode: 503 }],
		['is lasting', { statusCode: 422 }],
		['is that the key may not see it', { statusCode: 403 }],
		['is a lost connection', { errorCode: 'ECONNRESET' }],
	])("emits the other jobs' events when the error of a job %s", async (_label, response) => {
		const { host, jobs } = hostFor(3, COMPLETED);
		jobs.responses.job_1 = response;

		const atFirst = await host.publish();
		jobs.responses = {};
		const later = await host.tick();

		expect(eventsOf(atFirst)).toEqual([
			['job_2', 'completed'],
			['job_3', 'completed'],
		]);
		expect(eventsOf(later)).toEqual([['job_1', 'completed']]);
		expect(host.failures).toEqual([]);
	});

	it.each<[string, StubResponse]>([
		['is transient', { statusCode: 503 }],
		['is lasting', { statusCode: 422 }],
		['is that the key may not see it', { statusCode: 403 }],
	])('is published, and polls, when the error of one of its jobs %s', async (_label, response) => {
		const { host, jobs } = hostFor(2, RUNNING);
		jobs.responses.job_1 = response;

		await host.publish();
		await host.tick();

		expect(host.failures).toEqual([]);
		expect(jobs.polled).toEqual(['job_1', 'job_2', 'job_1', 'job_2']);
	});

	it('is published when the error of one of its jobs is lasting, and that of all others transient', async () => {
		const { host, jobs } = hostFor(2, { statusCode: 503 });
		jobs.responses.job_1 = { statusCode: 403 };

		expect(await host.publish()).toEqual([]);
	});

	it.each([
		['running', RUNNING],
		['completed', COMPLETED],
	])("logs a job's error beside another job that is %s", async (_label, response) => {
		const { host, jobs } = hostFor(2, response);
		jobs.responses.job_1 = { statusCode: 503 };

		await host.publish();

		expect(host.log).toEqual([
			expect.stringMatching(
				/^Browser Agent Trigger could not check the status of job job_1: .*HTTP 503/,
			),
		]);
	});

	it('fails a poll when the key is rejected for one of its jobs', async () => {
		const { host, jobs } = hostFor(2, RUNNING);
		await host.publish();
		jobs.responses.job_2 = { statusCode: 401 };

		await host.tick();

		expect(host.failures).toMatchObject([{ failure: { cause: 'credential-invalid' } }]);
	});

	it.each<[string, number, object]>([
		[
			'a rejected key',
			401,
			{
				message: 'Job job_1: The service did not accept the API key',
				description: expect.stringContaining("Check 'API Key' in the Browser Agent API credential"),
				httpCode: '401',
				failure: { cause: 'credential-invalid' },
			},
		],
		[
			'a key without permission',
			403,
			{
				message: 'Job job_1: The API key does not have permission for this operation',
				failure: { cause: 'credential-invalid' },
			},
		],
		[
			'a lasting error of its only job',
			422,
			{ message: 'Job job_1: The service did not accept the request' },
		],
	])('is not published with %s', async (_label, statusCode, error) => {
		const { host } = hostFor(1, { statusCode });

		await expect(host.publish()).rejects.toMatchObject(error);
	});

	it('ends the poll at a rejected key', async () => {
		const { host, jobs } = hostFor(20, { statusCode: 401, afterMs: 100 });

		await expect(host.publish()).rejects.toThrow();

		expect(jobs.polled).toHaveLength(5);
	});

	it('redacts the key in its errors', async () => {
		const body = { detail: `No user has ${KEY}` };
		const { host } = hostFor(1, { statusCode: 401, body }, { apiKey: KEY });

		const error = await host.publish().catch((thrown: Error) => thrown);

		expect(JSON.stringify(error)).toContain('No user has [hidden]');
		expect(JSON.stringify(error)).not.toContain(KEY);
	});

	it.each([
		[
			'that is unencrypted',
			'http://api.example.com',
			"'Base URL' would send the API key unencrypted",
		],
		['that is no web address', 'ftp://api.example.com', "'Base URL' is not a web address"],
	])('is not published with a base URL %s', async (_label, url, message) => {
		const host = createPollHost({ url }, { jobIds: 'job_1' });

		await expect(host.publish()).rejects.toMatchObject({
			message: expect.stringContaining(message),
			failure: { cause: 'configuration-invalid' },
		});
	});
});
