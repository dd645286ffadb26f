import type { INodeParameters } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { eventually } from '../../support/eventually';
import { createPollHost, eventsOf, type PollFailure } from '../../support/pollNode';
import { steadyClock } from '../../support/steadyClock';
import { useSandbox } from '../../support/useSandbox';
import { useServer, type ServerAnswer } from '../../support/useServer';
import { currentClock, setClock } from '../../support/testRuntime';

const service = useSandbox();
const lists = useServer();

// Slower than elsewhere, so that a busy machine is not taken for a list that is late.
beforeEach(() => setClock(steadyClock(5)));

const KEY = 'sandbox-pro-key';
const MEGABYTE = 1024 * 1024;

/** Which jobs the first poll asks the service for. */
async function watchedWith(parameters: INodeParameters): Promise<string[]> {
	await createPollHost(service, parameters).publish();
	const requests = await service.requests({ endpoint: 'getJob' });
	return requests.map(({ path }) => decodeURIComponent(path.split('/').at(-1) ?? ''));
}

/** What keeps the workflow from being published. */
async function refusalOf(parameters: INodeParameters): Promise<PollFailure> {
	const refusal = await createPollHost(service, parameters)
		.publish()
		.catch((error: PollFailure) => error);
	if (refusal instanceof Error) return refusal;
	throw new Error('It was published');
}

describe('Job IDs', () => {
	it.each<[string, INodeParameters['jobIds']]>([
		['commas', 'job_1,job_2,job_3'],
		['spaces', 'job_1 job_2  job_3'],
		['new lines', 'job_1\njob_2\r\njob_3\n'],
		['all of them', ' job_1,\n job_2 \t,, job_3'],
		['an expression that gives text', '={{ "job_1, job_2, job_3" }}'],
		['an expression that gives an array', '={{ ["job_1", "job_2", "job_3"] }}'],
		[
			'an expression that gives objects',
			'={{ [{ job_id: "job_1" }, { job_id: "job_2", status: "running" }, "job_3"] }}',
		],
		['an array', ['job_1', 'job_2', 'job_3']],
		['an array with gaps', '={{ ["job_1", null, "job_2", "", undefined, "job_3"] }}'],
		['text that is a JSON array', '["job_1", {"job_id": "job_2"}, "job_3"]'],
	])('may stand in %s', async (_label, jobIds) => {
		expect(await watchedWith({ jobIds })).toEqual(['job_1', 'job_2', 'job_3']);
	});

	it.each<[string, string, string[]]>([
		['a number', '={{ 12345 }}', ['12345']],
		['numbers', '={{ [1, 2] }}', ['1', '2']],
		['one object', '={{ { job_id: "job_1" } }}', ['job_1']],
		['an object with a number', '={{ [{ job_id: 7 }] }}', ['7']],
	])('may be %s that an expression gives', async (_label, jobIds, watched) => {
		expect(await watchedWith({ jobIds })).toEqual(watched);
	});

	it('are watched once, however often they are named', async () => {
		expect(await watchedWith({ jobIds: 'job_1 job_2 job_1' })).toEqual(['job_1', 'job_2']);
	});

	it.each<[string, INodeParameters['jobIds']]>([
		['empty', ''],
		['separators only', ' ,\n, '],
		['an expression that gives an empty array', '={{ [] }}'],
		['an expression that gives null', '={{ null }}'],
		['an expression that gives nothing', '={{ undefined }}'],
	])('may be %s: then nothing is watched, and nothing told', async (_label, jobIds) => {
		const host = createPollHost(service, { jobIds });

		expect(await host.publish()).toEqual([]);
		expect(host.executions).toEqual([]);
		expect(await service.requests()).toEqual([]);
	});

	it('are read anew at every poll when they come from an expression', async () => {
		const first = await service.givenJob(['completed']);
		const second = await service.givenJob(['completed']);
		const host = createPollHost(
			service,
			{ jobIds: '={{ $vars.jobs }}' },
			{ variables: { jobs: first } },
		);

		const before = await host.publish();
		host.variables.jobs = [first, second];
		const after = await host.tick();

		expect(eventsOf(before)).toEqual([[first, 'completed']]);
		expect(eventsOf(after)).toEqual([[second, 'completed']]);
	});

	it('are sent as one segment of the address', async () => {
		await watchedWith({ jobIds: 'a?b=c#d%2F' });

		expect((await service.requests())[0]?.path).toBe('/v1/get_job_status/a%3Fb%3Dc%23d%252F');
	});

	it.each<[string, INodeParameters['jobIds'], string]>([
		['a slash', 'job_1, a/b', 'a/b'],
		['a backslash', 'a\\b', 'a\\b'],
		['two dots', '..', '..'],
		['a space inside', ['job 1'], 'job 1'],
		['no ID', '={{ [{ id: "job_1" }] }}', '{"id":"job_1"}'],
		['white space only', ['job_1', ' '], ''],
		['a list in it', '={{ [["job_1"]] }}', '["job_1"]'],
		['true', '={{ [true] }}', 'true'],
		['a number that is none of an ID', '={{ [1.5] }}', '1.5'],
	])(
		'keep the workflow from being published when an entry has %s',
		async (_label, jobIds, shown) => {
			const refusal = await refusalOf({ jobIds });

			expect(refusal).toMatchObject({
				message: `'Job IDs' has an entry that is not a job ID: ${shown}`,
				failure: { cause: 'configuration-invalid' },
			});
			expect(await service.requests()).toEqual([]);
		},
	);
});

describe('Job List URL', () => {
	const byUrl = (path = '/jobs'): INodeParameters => ({
		jobSource: 'url',
		jobListUrl: `${lists.url}${path}`,
	});

	it.each<[string, unknown[], string[]]>([
		['texts', ['job_1', ' job_2 '], ['job_1', 'job_2']],
		['numbers', [1, 20], ['1', '20']],
		[
			'objects with job_id',
			[{ job_id: 'job_1', id: 5, cdp_url: 'wss://secret' }, { job_id: 2 }],
			['job_1', '2'],
		],
		['all of them', ['job_1', 2, { job_id: 'job_3' }], ['job_1', '2', 'job_3']],
		['gaps', [null, 'job_1', ''], ['job_1']],
		['the same job twice', ['job_1', { job_id: 'job_1' }], ['job_1']],
	])('may answer with %s', async (_label, body, watched) => {
		lists.answers({ body });

		expect(await watchedWith(byUrl())).toEqual(watched);
	});

	it('is asked with GET, anew at every poll, and what leaves the list is forgotten', async () => {
		const jobId = await service.givenJob(['completed']);
		const late = await service.givenJob(['completed']);
		lists.answers({ body: [jobId] });
		const host = createPollHost(service, byUrl('/jobs?open=1'));

		await host.publish();
		lists.answers({ body: [late] });
		const told = await host.tick();

		expect(lists.arrivals).toMatchObject([
			{ method: 'GET', path: '/jobs?open=1', body: '' },
			{ method: 'GET', path: '/jobs?open=1', body: '' },
		]);
		expect(eventsOf(told)).toEqual([[late, 'completed']]);
		expect(Object.keys(host.savedMemory.told ?? {})).toHaveLength(1);
	});

	it('can come from an expression', async () => {
		lists.answers({ body: ['job_1'] });

		const watched = await watchedWith({
			jobSource: 'url',
			jobListUrl: `={{ "${lists.url}/" + "list" }}`,
		});

		expect(watched).toEqual(['job_1']);
		expect(lists.arrivals[0]?.path).toBe('/list');
	});

	it('may answer with an empty list: then nothing is told', async () => {
		lists.answers({ body: [] });
		const host = createPollHost(service, byUrl());

		await host.publish();

		expect(host.executions).toEqual([]);
		expect(await service.requests()).toEqual([]);
	});

	it('may answer in gzip, although nobody asks for it', async () => {
		lists.answers((_arrival, response) => {
			const body = gzipSync(JSON.stringify(['job_1']));
			response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': body.length });
			response.end(body);
		});

		expect(await watchedWith(byUrl())).toEqual(['job_1']);
	});

	it('may begin with a mark of its byte order', async () => {
		lists.answers({ body: '\ufeff["job_1"]' });

		expect(await watchedWith(byUrl())).toEqual(['job_1']);
	});

	it('may answer with letters of all scripts, split anywhere', async () => {
		const body = Buffer.from(JSON.stringify(['jöb_日本']));
		lists.answers((_arrival, response) => {
			response.writeHead(200);
			response.write(body.subarray(0, 9), () => response.end(body.subarray(9)));
		});

		expect(await watchedWith(byUrl())).toEqual(['jöb_日本']);
	});

	describe('is never sent the key', () => {
		it('nor any other header of ours', async () => {
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

		it("at the service's own origin", async () => {
			const jobListUrl = `${service.url}/v1/get_credit_balance`;

			const refusal = await refusalOf({ jobSource: 'url', jobListUrl });

			expect(refusal.message).toBe("'Job List URL' answered with HTTP 401");
			const [request] = await service.requests();
			expect(request?.headers).not.toHaveProperty('authorization');
		});

		it("when it redirects to the service's own origin", async () => {
			lists.answers({
				statusCode: 302,
				headers: { Location: `${service.url}/v1/get_credit_balance` },
			});

			await refusalOf(byUrl());

			const [request] = await service.requests();
			expect(request?.endpoint).toBe('getCreditBalance');
			expect(request?.headers).not.toHaveProperty('authorization');
		});
	});

	describe('may redirect', () => {
		/** Redirects so many times, and answers then. */
		function redirects(times: number): void {
			lists.answers((_arrival, response) => {
				if (lists.arrivals.length > times) response.end('["job_1"]');
				else response.writeHead(307, { Location: '/next' }).end();
			});
		}

		it('five times', async () => {
			redirects(5);

			expect(await watchedWith(byUrl())).toEqual(['job_1']);
		});

		it('and not more', async () => {
			redirects(6);

			expect(await refusalOf(byUrl())).toMatchObject({
				message: "'Job List URL' could not be reached: it redirects more than 5 times",
				failure: { cause: 'configuration-invalid' },
			});
		});

		it('and not out of the web', async () => {
			lists.answers({ statusCode: 302, headers: { Location: 'file:///etc/hostname' } });

			expect((await refusalOf(byUrl())).message).toBe(
				"'Job List URL' could not be reached: its link is not a web address",
			);
		});
	});

	it.each([
		['empty', ''],
		['white space', '={{ "  " }}'],
		['without a scheme', 'example.com/jobs'],
		['of ftp', 'ftp://127.0.0.1/jobs'],
		['of file', 'file:///etc/hostname'],
		['of data', 'data:application/json,["job_1"]'],
		['no address', 'http://'],
		['no address at all', 'https:///jobs'],
	])('keeps the workflow from being published when it is %s', async (_label, jobListUrl) => {
		const refusal = await refusalOf({ jobSource: 'url', jobListUrl });

		expect(refusal).toMatchObject({
			message: "'Job List URL' is not a web address",
			failure: { cause: 'configuration-invalid' },
		});
	});

	describe('keeps the workflow from being published when it answers with', () => {
		const EXPECTED =
			'Expected is a JSON array of job IDs, or of objects with \'job_id\', e.g. ["job_1", {"job_id": "job_2"}].';

		it.each<[string, string, string]>([
			['a web page', '<!doctype html><p>Sign in</p>', '<!doctype html><p>Sign in</p>'],
			['an object', '{"jobs": ["job_1"]}', '{"jobs": ["job_1"]}'],
			['a text', '"job_1"', '"job_1"'],
			['a number', '42', '42'],
			['null', 'null', 'null'],
			['half a list', '["job_1", "jo', '["job_1", "jo'],
			['lines', 'job_1\njob_2', 'job_1 job_2'],
			['a long text', 'x'.repeat(5_000), 'x'.repeat(80)],
		])('%s, and shows how it begins', async (_label, body, shown) => {
			lists.answers({ body });

			const refusal = await refusalOf(byUrl());

			expect(refusal).toMatchObject({
				message: "What 'Job List URL' answered is not a list of jobs",
				description: `${EXPECTED} The answer begins with: ${shown}`,
				failure: { cause: 'configuration-invalid' },
			});
		});

		it('nothing', async () => {
			lists.answers({ body: '' });

			const { description } = await refusalOf(byUrl());

			expect(description).toBe(`${EXPECTED} The answer is empty.`);
		});

		it.each<[string, unknown[], string]>([
			['an object without a job_id', [{ id: 1 }], '{"id":1}'],
			['an object whose job_id is null', [{ job_id: null }], '{"job_id":null}'],
			['a list in the list', [['job_1']], '["job_1"]'],
			['an ID with a slash', ['a/b'], 'a/b'],
			['an ID with a slash in an object', [{ job_id: '../v1' }], '{"job_id":"../v1"}'],
		])('%s', async (_label, body, shown) => {
			lists.answers({ body });

			const refusal = await refusalOf(byUrl());

			expect(refusal.message).toBe(`'Job List URL' has an entry that is not a job ID: ${shown}`);
			expect(await service.requests()).toEqual([]);
		});

		it('a number too large to be told from others', async () => {
			lists.answers({ body: '[12345678901234567890]' });

			const refusal = await refusalOf(byUrl());

			expect(refusal.message).toContain('has an entry that is not a job ID');
		});

		it.each([400, 401, 403, 404, 410])('HTTP %i', async (statusCode) => {
			lists.answers({ statusCode, body: ['job_1'] });

			expect(await refusalOf(byUrl())).toMatchObject({
				message: `'Job List URL' answered with HTTP ${statusCode}`,
				failure: { cause: 'configuration-invalid' },
			});
		});

		it('a list that says it is larger than 5 MB, without reading it', async () => {
			let isGone = false;
			lists.answers((_arrival, response) => {
				response.once('close', () => (isGone = true));
				response.writeHead(200, { 'Content-Length': 6 * MEGABYTE });
				response.write('[');
			});

			expect(await refusalOf(byUrl())).toMatchObject({
				message: "What 'Job List URL' answered is larger than 5 MB",
				failure: { cause: 'configuration-invalid' },
			});
			await eventually(() => expect(isGone).toBe(true));
		});

		it('a list that turns out to be larger than 5 MB', async () => {
			lists.answers((_arrival, response) => endless(response));

			expect((await refusalOf(byUrl())).message).toBe(
				"What 'Job List URL' answered is larger than 5 MB",
			);
		});
	});

	describe('shows no secrets', () => {
		it.each<[string, string]>([
			['in what is not a list', `{"key": "${KEY}", "browser": "wss://browser.example/s?t=1"}`],
			['in an entry', `[{"key": "${KEY}", "cdp_url": "wss://browser.example/s?t=1"}]`],
			['at the cut', `{"filler": "${'x'.repeat(55)}", "key": "${KEY}"}`],
		])('%s', async (_label, body) => {
			lists.answers({ body });

			const { message, description } = await refusalOf(byUrl());

			const words = `${message} ${description}`;
			expect(words).not.toContain(KEY.slice(0, 8));
			expect(words).not.toContain('browser.example');
		});
	});

	describe('passing trouble', () => {
		const TROUBLE: Array<[string, ServerAnswer | ((response: ServerResponse) => void)]> = [
			['a fault of the server', { statusCode: 500 }],
			['a server that is down', { statusCode: 503 }],
			['a rate limit', { statusCode: 429, headers: { 'Retry-After': '70' } }],
			['a broken connection', ({ socket }) => socket?.resetAndDestroy()],
			[
				'a list that breaks off',
				(response) => {
					response.writeHead(200, { 'Content-Length': 100 });
					response.write('["job_1"', () => response.socket?.destroy());
				},
			],
		];

		it.each(TROUBLE)('with it, %s, does not block publishing', async (_label, answer) => {
			const jobId = await service.givenJob(['completed']);
			lists.answers((_arrival, response) => {
				if (lists.arrivals.length > 1) response.end(JSON.stringify([jobId]));
				else if (typeof answer === 'function') answer(response);
				else response.writeHead(answer.statusCode ?? 200, answer.headers).end();
			});
			const host = createPollHost(service, byUrl());

			expect(await host.publish()).toEqual([]);
			expect(eventsOf(await host.tick())).toEqual([[jobId, 'completed']]);
		});

		it.each([
			['429', { cause: 'rate-limited', retryAfterMs: 70_000 }],
			['503', { cause: 'temporarily-unavailable', retryAfterMs: 70_000 }],
		])('is told to the scheduler, as of HTTP %s', async (statusCode, failure) => {
			lists.answers({ body: [] });
			const host = createPollHost(service, byUrl());
			await host.publish();
			lists.answers({ statusCode: Number(statusCode), headers: { 'Retry-After': '70' } });

			await host.tick();

			expect(host.failures).toMatchObject([
				{ message: `'Job List URL' answered with HTTP ${statusCode}`, failure },
			]);
		});

		it.each<[string, (response: ServerResponse) => void]>([
			['does not begin', () => {}],
			['does not end', (response) => void response.writeHead(200).write('["job_1"')],
			['trickles', (response) => trickle(response)],
		])('is a list that %s: it is given up after 20 seconds', async (_label, answer) => {
			setClock(steadyClock(60));
			lists.answers({ body: [] });
			const host = createPollHost(service, byUrl());
			await host.publish();
			lists.answers((_arrival, response) => answer(response));
			const began = currentClock().now();

			await host.tick();

			expect(currentClock().now() - began).toBeGreaterThanOrEqual(20_000);
			expect(host.failures).toMatchObject([
				{
					message: "'Job List URL' could not be reached: it took too long",
					failure: { cause: 'temporarily-unavailable' },
				},
			]);
		});

		it('is an address that cannot be reached', async () => {
			const host = createPollHost(service, {
				jobSource: 'url',
				jobListUrl: 'http://127.0.0.1:1/jobs',
			});

			await host.publish();
			await host.tick();

			expect(host.failures).toMatchObject([
				{
					message: "'Job List URL' could not be reached: the connection was refused",
					failure: { cause: 'temporarily-unavailable' },
				},
			]);
		});
	});
});

function endless(response: ServerResponse): void {
	const chunk = Buffer.alloc(256 * 1024, ' ');
	const send = () => {
		if (response.destroyed) return;
		if (response.write(chunk)) setImmediate(send);
		else response.once('drain', send);
	};
	response.writeHead(200);
	send();
}

function trickle(response: ServerResponse): void {
	response.writeHead(200);
	const timer = setInterval(() => response.write(' '), 20);
	response.once('close', () => clearInterval(timer));
}
