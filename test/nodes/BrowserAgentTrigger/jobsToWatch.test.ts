import type { INodeParameters } from 'n8n-workflow';

import { createPollHost, eventsOf, type PollFailure } from '../../support/pollNode';
import { useSandbox } from '../../support/useSandbox';
import { useServer } from '../../support/useServer';

const KEY = 'sandbox-pro-key';
const EXPECTED =
	'It must return a JSON array of job IDs, or of objects with \'job_id\', e.g. ["job_1", {"job_id": "job_2"}]. Check that n8n can reach the address without signing in.';

const service = useSandbox();
const lists = useServer();

function byUrl(path = '/jobs'): INodeParameters {
	return { jobSource: 'url', jobListUrl: `${lists.url}${path}` };
}

/** Which jobs the first poll checks. */
async function watchedWith(parameters: INodeParameters): Promise<string[]> {
	await createPollHost(service, parameters).publish();
	const requests = await service.sent('getJob');
	return requests.map(({ path }) => decodeURIComponent(path.split('/').at(-1) ?? ''));
}

/** What keeps the workflow from being published. */
async function errorOf(parameters: INodeParameters): Promise<PollFailure> {
	const error = await createPollHost(service, parameters)
		.publish()
		.catch((thrown: PollFailure) => thrown);
	if (error instanceof Error) return error;
	throw new Error('It was published');
}

describe("BrowserAgentTrigger with 'Job IDs'", () => {
	// What a list can be is tested with `readJobIds`.
	it.each<[string, INodeParameters['jobIds']]>([
		['text', 'job_1, job_2\njob_3'],
		['an expression that gives an array', '={{ ["job_1", { job_id: "job_2" }, "job_3"] }}'],
	])('watches the jobs in %s', async (_label, jobIds) => {
		expect(await watchedWith({ jobIds })).toEqual(['job_1', 'job_2', 'job_3']);
	});

	it('is not published with an entry that is no job ID, and does not show it', async () => {
		const error = await errorOf({ jobIds: `job_1, a/${KEY}` });

		expect(error).toMatchObject({
			message: "'Job IDs': entry 2 is not a job ID",
			failure: { cause: 'configuration-invalid' },
		});
		expect(await service.requests()).toEqual([]);
	});
});

describe("BrowserAgentTrigger with 'Job List URL'", () => {
	it('watches the jobs of a list with IDs, objects and gaps', async () => {
		lists.answers({ body: ['job_1', { job_id: 2, id: 5, cdp_url: 'wss://secret' }, null] });

		expect(await watchedWith(byUrl())).toEqual(['job_1', '2']);
	});

	// As n8n's own node Respond to Webhook does when there are no items.
	it.each([
		['200 without a body', { statusCode: 200, body: undefined }],
		['200 with white space', { statusCode: 200, body: '\n' }],
		['204', { statusCode: 204 }],
	])('takes %s for an empty list, and is published', async (_label, answer) => {
		lists.answers(answer);
		const host = createPollHost(service, byUrl());

		await host.publish();
		await host.tick();

		expect(host.failures).toEqual([]);
		expect(lists.arrivals).toHaveLength(2);
		expect(await service.requests()).toEqual([]);
	});

	it('gets the list at every poll', async () => {
		const jobId = await service.givenJob(['completed']);
		const late = await service.givenJob(['completed']);
		lists.answers({ body: [jobId] });
		const host = createPollHost(service, byUrl('/jobs?open=1'));

		await host.publish();
		lists.answers({ body: [late] });
		const emitted = await host.tick();

		expect(lists.arrivals).toMatchObject([
			{ method: 'GET', path: '/jobs?open=1', body: '' },
			{ method: 'GET', path: '/jobs?open=1', body: '' },
		]);
		expect(eventsOf(emitted)).toEqual([[late, 'completed']]);
	});

	it('reads letters of all scripts, split anywhere', async () => {
		const body = Buffer.from(JSON.stringify(['jöb_日本']));
		lists.answers((_arrival, response) => {
			response.writeHead(200);
			response.write(body.subarray(0, 9), () => response.end(body.subarray(9)));
		});

		expect(await watchedWith(byUrl())).toEqual(['jöb_日本']);
	});

	it('sends neither the key nor any other header of its own', async () => {
		lists.answers({ body: [] });

		await createPollHost(service, byUrl()).publish();

		expect(Object.keys(lists.arrivals[0]?.headers ?? {}).sort()).toEqual([
			'accept',
			'accept-encoding',
			'connection',
			'host',
			'user-agent',
		]);
	});

	it("does not send the key to the service's own origin", async () => {
		const jobListUrl = `${service.url}/v1/get_credit_balance`;

		const error = await errorOf({ jobSource: 'url', jobListUrl });

		const [request] = await service.requests();
		expect(error).toMatchObject({
			message: "'Job List URL' could not be read: HTTP 401",
			failure: { cause: 'configuration-invalid' },
		});
		expect(request?.headers).not.toHaveProperty('authorization');
	});

	it.each([
		['to another origin', () => `${service.url}/v1/health`, 'it is in a private network'],
		[
			'to metadata of a cloud',
			() => 'http://metadata.google.internal./',
			'it is at a cloud metadata address',
		],
	])('follows no redirect within a private network %s', async (_label, location, reason) => {
		lists.answers({ statusCode: 302, headers: { Location: location() } });

		const { message } = await errorOf(byUrl());

		expect(message).toBe(`'Job List URL' could not be read: ${reason}`);
		expect(await service.requests()).toEqual([]);
	});

	it('is not read where a cloud serves metadata', async () => {
		const jobListUrl = 'http://[fd00:ec2::254]/latest';

		const { message } = await errorOf({ jobSource: 'url', jobListUrl });

		expect(message).toBe("'Job List URL' could not be read: it is at a cloud metadata address");
	});

	it.each([
		['empty', ''],
		['a file URL', 'file:///etc/hostname'],
		['a data URL', 'data:application/json,["job_1"]'],
		['without a host', 'https:///jobs'],
	])('is not published when it is %s', async (_label, jobListUrl) => {
		expect(await errorOf({ jobSource: 'url', jobListUrl })).toMatchObject({
			message: "'Job List URL' is not a valid URL",
			failure: { cause: 'configuration-invalid' },
		});
	});

	it.each(['example.com/jobs', 'localhost:5678/webhook/open-jobs', '[::1]:5678/jobs'])(
		'is not published when it has no scheme: %s',
		async (jobListUrl) => {
			expect(await errorOf({ jobSource: 'url', jobListUrl })).toMatchObject({
				message: "'Job List URL' has no scheme",
				description: "Put 'https://' or 'http://' in front of it.",
				failure: { cause: 'configuration-invalid' },
			});
		},
	);

	it('is not published when the list is nested more than 200 levels deep', async () => {
		lists.answers({ body: `["job_1",${'['.repeat(200)}${']'.repeat(200)}]` });

		expect(await errorOf(byUrl())).toMatchObject({
			message: "'Job List URL' returned a list that is nested too deeply",
			failure: { cause: 'configuration-invalid' },
		});
	});

	it.each([
		['a web page', '<!doctype html><p>Sign in</p>'],
		['an object', '{"jobs": ["job_1"]}'],
		['text', '"job_1"'],
	])('is not published when the list is %s', async (_label, body) => {
		lists.answers({ body });

		expect(await errorOf(byUrl())).toMatchObject({
			message: "'Job List URL' did not return a list of jobs",
			description: EXPECTED,
			failure: { cause: 'configuration-invalid' },
		});
	});

	it('says which workflow to publish when a webhook is not found', async () => {
		lists.answers({ statusCode: 404 });

		expect(await errorOf(byUrl())).toMatchObject({
			message:
				"'Job List URL' could not be read: HTTP 404. If it is an n8n webhook, publish its workflow first",
			description: expect.stringMatching(
				/^Enter the production URL of a webhook\. It must return a JSON array/,
			),
		});
	});

	it.each([
		[429, { cause: 'temporarily-unavailable', retryAfterMs: 70_000 }],
		[500, { cause: 'temporarily-unavailable', retryAfterMs: 70_000 }],
	])('fails a poll with a cause for HTTP %i', async (statusCode, failure) => {
		lists.answers({ body: [] });
		const host = createPollHost(service, byUrl());
		await host.publish();
		lists.answers({ statusCode, headers: { 'Retry-After': '70' } });

		await host.tick();

		expect(host.failures).toMatchObject([
			{ message: `'Job List URL' could not be read: HTTP ${statusCode}`, failure },
		]);
	});

	it('is published, and fails a poll, when the address cannot be reached', async () => {
		const jobListUrl = 'http://127.0.0.1:1/jobs';
		const host = createPollHost(service, { jobSource: 'url', jobListUrl });

		await host.publish();
		await host.tick();

		expect(host.failures).toMatchObject([
			{
				message: "'Job List URL' could not be read: connect ECONNREFUSED 127.0.0.1:1",
				failure: { cause: 'temporarily-unavailable' },
			},
		]);
	});
});
