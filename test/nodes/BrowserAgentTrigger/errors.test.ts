import { metadataOf } from '../../support/captureLog';
import {
	createPollHost,
	eventsOf,
	type PollFailure,
	type TriggerSetup,
} from '../../support/pollNode';
import { useSandbox, type FaultCase } from '../../support/useSandbox';

const KEY = 'sandbox-pro-key';

const RETRY_LATER = { headers: { 'retry-after': '40' } };
const PAGE = { contentType: 'text/html', body: '<p>No</p>' };
const AWAY = { cause: 'temporarily-unavailable' };

const TRANSIENT: Array<[string, FaultCase, object]> = [
	['a limit', { ...status(429), ...RETRY_LATER }, { cause: 'rate-limited', retryAfterMs: 40_000 }],
	['a busy service', { ...status(503), ...RETRY_LATER }, { ...AWAY, retryAfterMs: 40_000 }],
	['a gateway that rejects the key', { ...status(401), ...PAGE }, AWAY],
	['a lost connection', { kind: 'reset' }, AWAY],
];

/** What the log names of the trigger: n8n gives a poll no execution. */
const ORIGIN = {
	workflowId: 'workflow-1',
	workflowName: 'Test',
	nodeName: 'Browser Agent Trigger',
};

const service = useSandbox();
const { clock } = service;

function status(code: number): FaultCase {
	return { kind: 'status', status: code };
}

/** A trigger that watches `count` jobs in a status. */
async function hostFor(count: number, shown: string, more: Partial<TriggerSetup> = {}) {
	const jobIds = await service.givenManyJobs(count, [shown]);
	return { host: createPollHost(service, { jobIds: jobIds.join() }, more), jobIds };
}

/** The next polls of a job go wrong like this. */
async function failPolls(jobId: string | undefined, fault: FaultCase, times = 1): Promise<void> {
	await service.fault('getJob', fault, { jobId, times });
}

describe('BrowserAgentTrigger', () => {
	it('is published although the service is down, and emits the event later', async () => {
		const { host, jobIds } = await hostFor(1, 'completed');
		await failPolls(jobIds[0], status(503));

		const atFirst = await host.publish();
		await clock.advance(60_000);
		const later = await host.tick();

		expect(atFirst).toEqual([]);
		expect(host.failures).toEqual([]);
		expect(eventsOf(later)).toEqual([[jobIds[0], 'completed']]);
	});

	it.each(TRANSIENT)('fails a poll with a cause for %s', async (_label, fault, failure) => {
		const { host, jobIds } = await hostFor(1, 'running');
		await host.publish();
		await failPolls(jobIds[0], fault);

		await host.tick();

		expect(host.executions).toEqual([]);
		expect(host.failures).toMatchObject([
			{ message: expect.stringContaining(`Job ${jobIds[0]}: `), failure },
		]);
	});

	it("emits the other jobs' events when the status of a job cannot be checked", async () => {
		const { host, jobIds } = await hostFor(3, 'completed');
		const [first, second, third] = jobIds;
		await failPolls(first, status(503));

		const atFirst = await host.publish();
		const later = await host.tick();

		expect(eventsOf(atFirst)).toEqual([
			[second, 'completed'],
			[third, 'completed'],
		]);
		expect(eventsOf(later)).toEqual([[first, 'completed']]);
		expect(host.failures).toEqual([]);
	});

	it('is published, and polls, when the key may not see one of its jobs', async () => {
		const { host, jobIds } = await hostFor(2, 'running');
		await failPolls(jobIds[0], status(403), 2);

		await host.publish();
		await host.tick();

		expect(host.failures).toEqual([]);
		expect(await service.polledJobs()).toEqual([...jobIds, ...jobIds]);
	});

	it("logs a job's error", async () => {
		const { host, jobIds } = await hostFor(2, 'running');
		await failPolls(jobIds[0], status(503));

		await host.publish();

		expect(host.log).toHaveLength(1);
		expect(host.log[0]).toContain(`could not check the status of job ${jobIds[0]}: The service`);
		expect(host.log[0]).toContain('HTTP 503');
		expect(metadataOf(host.log)).toEqual([{ ...ORIGIN, jobId: jobIds[0] }]);
	});

	it('logs what was asked for when something in front of the service does not find it', async () => {
		const { host, jobIds } = await hostFor(2, 'running');
		await failPolls(jobIds[0], { ...status(404), body: { message: 'no Route matched' } });

		await host.publish();

		expect(host.log[0]).toMatch(
			new RegExp(
				`Base URL' \\(HTTP 404\\)\\. Asked for: GET /v1/get_job_status/${jobIds[0]} at 127\\.0\\.0\\.1:\\d+ `,
			),
		);
	});

	it('does not fail a poll when a proxy rejects the key for one of its jobs', async () => {
		const { host, jobIds } = await hostFor(2, 'running');
		await host.publish();
		await failPolls(jobIds[1], { ...status(401), ...PAGE });

		await host.tick();

		expect(host.failures).toEqual([]);
	});

	it('fails a poll when the key is rejected for one of its jobs', async () => {
		const { host, jobIds } = await hostFor(2, 'running');
		await host.publish();
		await failPolls(jobIds[1], status(401));

		await host.tick();

		expect(host.failures).toMatchObject([{ failure: { cause: 'credential-invalid' } }]);
	});

	// What the user reads is in the table of failed calls.
	it.each<[string, number, string, object | undefined]>([
		['a rejected key', 401, 'did not accept the API key', { cause: 'credential-invalid' }],
		['a key without permission', 403, 'not have permission', { cause: 'credential-invalid' }],
		['a lasting error of its only job', 422, 'did not accept the request (HTTP 422)', undefined],
	])('is not published with %s', async (_label, code, words, failure) => {
		const { host, jobIds } = await hostFor(1, 'running');
		await failPolls(jobIds[0], { ...status(code), body: { detail: '' } });

		const error = await host.publish().catch((thrown: PollFailure) => thrown);

		expect(error).toMatchObject({ message: expect.stringContaining(words), failure });
	});

	it('ends the poll at a rejected key', async () => {
		const { host } = await hostFor(20, 'running');
		await service.fault('getJob', 401, { delaySeconds: 0.1, times: 'always' });

		await expect(host.publish()).rejects.toThrow('The service did not accept the API key');

		expect(await service.polledJobs()).toHaveLength(5);
	});

	it('redacts the key in its errors', async () => {
		const { host } = await hostFor(1, 'running', { apiKey: KEY });
		await service.fault('getJob', 401, { body: { detail: `No user has ${KEY}` } });

		const error = await host.publish().catch((thrown: Error) => thrown);

		expect(JSON.stringify(error)).toContain('No user has [hidden]');
		expect(JSON.stringify(error)).not.toContain(KEY);
	});

	it("redacts the key in an error of 'Trigger On Status'", async () => {
		const { host } = await hostFor(1, 'running', { apiKey: KEY });
		host.parameters.triggerOn = `={{ "${KEY}" }}`;

		const error = await host.publish().catch((thrown: Error) => thrown);

		expect(error).toMatchObject({ message: "'Trigger On Status' has no option '[hidden]'" });
		expect(JSON.stringify(error)).not.toContain(KEY);
	});
});
