import { eventually } from '../../support/eventually';
import { createPollHost, ENGINES, eventsOf } from '../../support/pollNode';
import { useSandbox, type FaultCase } from '../../support/useSandbox';

const service = useSandbox();

const KEY = 'sandbox-pro-key';

/** Spoils all looks at jobs, or those at one of them. */
async function spoilLooks(fault: FaultCase): Promise<void> {
	await service.admin.fault({ endpoint: 'getJob', times: 'always', ...fault });
}

const PASSING: Array<[string, FaultCase, object]> = [
	[
		'a rate limit with a time to wait',
		{ kind: 'status', status: 429, headers: { 'Retry-After': '40' } },
		{ cause: 'rate-limited', retryAfterMs: 40_000 },
	],
	['a rate limit', { kind: 'status', status: 429 }, { cause: 'rate-limited' }],
	[
		'a service that is down',
		{ kind: 'status', status: 503, headers: { 'Retry-After': '30' } },
		{ cause: 'temporarily-unavailable', retryAfterMs: 30_000 },
	],
	['a fault of the service', { kind: 'status', status: 500 }, { cause: 'temporarily-unavailable' }],
	['a broken connection', { kind: 'reset' }, { cause: 'temporarily-unavailable' }],
	[
		'an answer that cannot be read',
		{ kind: 'body', body: '<html><title>Bad gateway</title>', contentType: 'text/html' },
		{ cause: 'temporarily-unavailable' },
	],
	['an answer in part', { kind: 'truncate' }, { cause: 'temporarily-unavailable' }],
];

describe.each(PASSING)('%s', (_label, fault, failure) => {
	it('does not keep the workflow from being published, and is retried at the next poll', async () => {
		const jobId = await service.givenJob(['completed']);
		await spoilLooks({ ...fault, times: 1 });
		const host = createPollHost(service, { jobIds: jobId });

		const atFirst = await host.publish();
		// After a 429 nobody asks before the time is up.
		const told = await eventually(async () => {
			const items = await host.tick();
			expect(items).not.toEqual([]);
			return items;
		});

		expect(atFirst).toEqual([]);
		expect(host.failures).toEqual([]);
		expect(eventsOf(told)).toEqual([[jobId, 'completed']]);
	});

	it.each(ENGINES)('is told to the scheduler of the %s engine', async (engine) => {
		const jobId = await service.givenJob(['running', 'running', 'completed']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();
		await spoilLooks(fault);

		await host.tick();

		expect(host.executions).toEqual([]);
		expect(host.failures).toHaveLength(1);
		expect(host.failures[0]).toMatchObject({
			message: expect.stringContaining(jobId),
			failure,
		});
	});
});

describe('a service that cannot be reached', () => {
	it('does not keep the workflow from being published', async () => {
		const host = createPollHost({ url: 'http://127.0.0.1:1' }, { jobIds: 'job_1' });

		expect(await host.publish()).toEqual([]);
		await host.tick();

		expect(host.failures).toMatchObject([
			{
				message: 'Job job_1: The service could not be reached: the connection was refused',
				failure: { cause: 'temporarily-unavailable' },
			},
		]);
	});
});

describe('a rate limit', () => {
	it('ends the poll, so that no more calls are wasted', async () => {
		const jobIds: string[] = [];
		for (let index = 0; index < 9; index++) jobIds.push(await service.givenJob(['running']));
		await spoilLooks({ kind: 'status', status: 429, headers: { 'Retry-After': '40' } });
		const host = createPollHost(service, { jobIds: jobIds.join() });

		await host.publish();
		await host.tick();

		expect((await service.requests({ endpoint: 'getJob' })).length).toBeLessThanOrEqual(5);
	});
});

describe('a job that was looked at in vain because of a rate limit', () => {
	it('is the first one of the next poll', async () => {
		const jobIds = [await service.givenJob(['running']), await service.givenJob(['running'])];
		await spoilLooks({
			kind: 'status',
			status: 429,
			headers: { 'Retry-After': '1' },
			jobId: jobIds[1],
		});
		const host = createPollHost(service, { jobIds: jobIds.join() });
		await host.publish();
		await service.admin.clearFaults();

		await eventually(async () => {
			await host.tick();
			expect(await service.requests({ endpoint: 'getJob' })).toHaveLength(4);
		});

		const [, , third] = await service.requests({ endpoint: 'getJob' });
		expect(third?.jobId).toBe(jobIds[1]);
	});
});

describe("one job's fault", () => {
	it.each<[string, FaultCase]>([
		['passes', { kind: 'status', status: 503 }],
		['stays', { kind: 'status', status: 422 }],
		['is that the key may not see it', { kind: 'status', status: 403 }],
		['breaks the connection', { kind: 'reset' }],
	])("does not hold back the others' events when it %s", async (_label, fault) => {
		const spoiled = await service.givenJob(['completed']);
		const others = [await service.givenJob(['completed']), await service.givenJob(['failed'])];
		await spoilLooks({ ...fault, jobId: spoiled });
		const host = createPollHost(service, { jobIds: [spoiled, ...others].join() });

		const told = await host.publish();
		await service.admin.clearFaults();
		const later = await host.tick();

		expect(eventsOf(told)).toEqual([
			[others[0], 'completed'],
			[others[1], 'failed'],
		]);
		expect(eventsOf(later)).toEqual([[spoiled, 'completed']]);
		expect(host.failures).toEqual([]);
	});

	it.each<[string, FaultCase]>([
		['passes', { kind: 'status', status: 503 }],
		['stays', { kind: 'status', status: 422 }],
		['is that the key may not see it', { kind: 'status', status: 403 }],
	])(
		'neither keeps the workflow from being published nor fails its polls when it %s',
		async (_label, fault) => {
			const spoiled = await service.givenJob(['completed']);
			const other = await service.givenJob(['running', 'running', 'completed']);
			await spoilLooks({ ...fault, jobId: spoiled });
			const host = createPollHost(service, { jobIds: [spoiled, other].join() });

			const told = [await host.publish(), await host.tick(), await host.tick()];

			expect(told.map(eventsOf)).toEqual([[], [], [[other, 'completed']]]);
			expect(host.failures).toEqual([]);
		},
	);

	it.each(['running', 'completed'])(
		"is in n8n's log, beside another job that is %s",
		async (status) => {
			const spoiled = await service.givenJob(['completed']);
			const other = await service.givenJob([status]);
			await spoilLooks({ kind: 'status', status: 503, jobId: spoiled });
			const host = createPollHost(service, { jobIds: [spoiled, other].join() });

			await host.publish();

			expect(host.log).toEqual([
				expect.stringMatching(`Browser Agent Trigger could not look at job ${spoiled}: `),
			]);
		},
	);

	it('is an error all the same when it is that the key is not accepted', async () => {
		const jobId = await service.givenJob(['running']);
		const other = await service.givenJob(['running']);
		const host = createPollHost(service, { jobIds: [jobId, other].join() });
		await host.publish();
		await spoilLooks({ kind: 'status', status: 401, jobId: other });

		await host.tick();

		expect(host.failures).toMatchObject([{ failure: { cause: 'credential-invalid' } }]);
	});

	it('is an error when it is the only job, and stays', async () => {
		const jobId = await service.givenJob(['completed']);
		await spoilLooks({ kind: 'status', status: 422 });
		const host = createPollHost(service, { jobIds: jobId });

		await expect(host.publish()).rejects.toMatchObject({
			message: expect.stringContaining(`Job ${jobId}: `),
		});
	});
});

describe('a key that the service does not accept', () => {
	it('keeps the workflow from being published, in words that say what to do', async () => {
		const host = createPollHost(service, { jobIds: 'job_1' }, { apiKey: 'sk-nobody-knows' });

		await expect(host.publish()).rejects.toMatchObject({
			message: 'Job job_1: The service did not accept the API key',
			description: expect.stringContaining("Check 'API Key' in the Browser Agent API credential"),
			httpCode: '401',
			failure: { cause: 'credential-invalid' },
		});
		expect(await service.requests()).toHaveLength(1);
	});

	it('keeps it from being published when it may not do this, too', async () => {
		const host = createPollHost(service, { jobIds: 'job_1' }, { apiKey: 'sandbox-forbidden-key' });

		await expect(host.publish()).rejects.toMatchObject({
			message: 'Job job_1: The API key has no permission for this',
			failure: { cause: 'credential-invalid' },
		});
	});

	it.each(ENGINES)('fails the poll in which it is found in the %s engine', async (engine) => {
		const jobId = await service.givenJob(['running']);
		const host = createPollHost(service, { jobIds: jobId }, { engine });
		await host.publish();
		await spoilLooks({ kind: 'status', status: 401 });

		await host.tick();

		expect(host.failures).toMatchObject([
			{ httpCode: '401', failure: { cause: 'credential-invalid' } },
		]);
	});

	it('ends the poll, so that no more calls are wasted', async () => {
		const jobIds = Array.from({ length: 20 }, (_, index) => `job_${index}`).join();
		const host = createPollHost(service, { jobIds }, { apiKey: 'sk-nobody-knows' });

		await expect(host.publish()).rejects.toThrow();

		expect((await service.requests()).length).toBeLessThanOrEqual(5);
	});

	it('is not in the words', async () => {
		await spoilLooks({ kind: 'status', status: 401, body: { detail: `No user has ${KEY}` } });
		const host = createPollHost(service, { jobIds: 'job_1' });

		const error = await host.publish().catch((thrown: Error) => thrown);

		expect(JSON.stringify(error)).toContain('No user has [hidden]');
		expect(JSON.stringify(error)).not.toContain(KEY);
	});
});

describe('an address that the key must not be sent to', () => {
	it.each([
		['unencrypted', 'http://api.example.com', "'Base URL' would send the API key unencrypted"],
		['no web address', 'api.example.com', "'Base URL' is not a web address"],
		['empty', '', "'Base URL' is empty"],
	])('keeps the workflow from being published: %s', async (_label, url, message) => {
		const host = createPollHost({ url }, { jobIds: 'job_1' });

		await expect(host.publish()).rejects.toMatchObject({
			message: expect.stringContaining(message),
			failure: { cause: 'configuration-invalid' },
		});
	});
});
