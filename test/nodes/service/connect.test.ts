import type { IHttpRequestOptions } from 'n8n-workflow';

import { rememberedAccounts } from '../../../nodes/service/Account';
import { BaseUrlError } from '../../../nodes/service/baseUrl';
import { connectClient, refusalOf } from '../../support/connectClient';
import { eventually } from '../../support/eventually';
import { useServer } from '../../support/useServer';
import { setServiceLimits } from '../../support/testRuntime';

const KEY = 'key-of-the-account-1234';

describe('connecting to the service', () => {
	const server = useServer();
	const other = useServer();
	afterEach(() => setServiceLimits());

	it.each([
		['http to a public host', 'http://api.example.com'],
		['no scheme', '127.0.0.1'],
		['nothing', ''],
	])('is refused before anything is sent, for an address with %s', async (_label, baseUrl) => {
		const connecting = connectClient({ baseUrl, apiKey: KEY });

		await expect(connecting).rejects.toThrow(BaseUrlError);
	});

	it('sends nothing by itself', async () => {
		await connectClient({ baseUrl: server.url, apiKey: KEY });

		expect(server.arrivals).toEqual([]);
	});

	it('takes an address with /v1, and keeps a path prefix', async () => {
		server.answers({ body: { status: 'running' } });
		const client = await connectClient({ baseUrl: ` ${server.url}/agents/v1/ `, apiKey: KEY });

		await client.getJob('job_1');
		await client.getHealth();

		expect(server.arrivals.map(({ path }) => path)).toEqual([
			'/agents/v1/get_job_status/job_1',
			'/agents/v1/health',
		]);
	});

	it('takes a key with space around it', async () => {
		const client = await connectClient({ baseUrl: server.url, apiKey: ` ${KEY}\n` });

		await client.getCreditBalance();

		expect(server.arrivals[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
	});

	it.each([
		['an empty key', ''],
		['a blank key', '   '],
		['a key with a line break in it', 'key-1\r\nX-Other: 1'],
	])('does not send a request with %s, now or later', async (_label, apiKey) => {
		const client = await connectClient({ baseUrl: server.url, apiKey });

		const refusal = await refusalOf(client.getJob('job_1'));

		expect(refusal.facts).toEqual({
			kind: 'notSent',
			detail: "'API Key' is empty or has characters in it that a key cannot have",
		});
		expect(refusal.isTransient).toBe(false);
		expect(server.arrivals).toEqual([]);
	});

	it.each([301, 302, 303, 307, 308])(
		'does not follow a redirect, which would take the key along: %i',
		async (statusCode) => {
			server.answers({ statusCode, headers: { Location: `${other.url}/v1/run_browser_agent` } });
			const client = await connectClient({ baseUrl: server.url, apiKey: KEY });

			const refusals = await Promise.all([
				refusalOf(client.startAgent({ directive: 'Go' })),
				refusalOf(client.getJob('job_1')),
			]);
			await client.getHealth();

			expect(refusals.map(({ facts }) => facts.kind)).toEqual(['redirect', 'redirect']);
			expect(other.arrivals).toEqual([]);
			expect(server.arrivals).toHaveLength(3);
		},
	);

	it('does not follow a redirect on the same host either', async () => {
		server.answers(({ path }, response) => {
			response.writeHead(path === '/elsewhere' ? 200 : 307, { Location: '/elsewhere' }).end('{}');
		});
		const client = await connectClient({ baseUrl: server.url, apiKey: KEY });

		const refusal = await refusalOf(client.startAgent({ directive: 'Go' }));

		expect(refusal.kind).toBe('redirect');
		expect(server.arrivals.map(({ path }) => path)).toEqual(['/v1/run_browser_agent']);
	});

	it('shows the key in the header only', async () => {
		server.answers({ body: { job_id: 'job_1', status: 'running' } });
		const client = await connectClient({ baseUrl: server.url, apiKey: KEY });

		await client.startAgent({ directive: 'Go' });
		await client.runWorkflow('wf_1', 'Go');
		await client.getJob('job_1');
		await client.getCreditBalance();

		const elsewhere = server.arrivals.map(({ headers: { authorization, ...headers }, ...rest }) => {
			expect(authorization).toBe(`Bearer ${KEY}`);
			return { headers, ...rest };
		});
		expect(JSON.stringify(elsewhere)).not.toContain(KEY);
	});

	it('makes a request of its own for every call, since n8n changes them', async () => {
		const requests: IHttpRequestOptions[] = [];
		const client = await connectClient({
			baseUrl: server.url,
			apiKey: KEY,
			onRequest: (request) => void requests.push(request),
		});

		await client.getCreditBalance();
		await client.getCreditBalance();

		expect(requests).toHaveLength(2);
		expect(requests[0]).not.toBe(requests[1]);
		expect(requests[0]?.headers).not.toBe(requests[1]?.headers);
	});

	describe('for an execution that is stopped', () => {
		it('gives up a call that has the signal, within a second', async () => {
			const stop = new AbortController();
			server.answers(() => {});
			const client = await connectClient({ baseUrl: server.url, apiKey: KEY });

			const looking = refusalOf(client.getJob('job_1', { signal: stop.signal }));
			await eventually(() => expect(server.arrivals).toHaveLength(1));
			stop.abort();
			const refusal = await looking;

			expect(refusal.kind).toBe('stopped');
		});

		it('lets a pause through, which comes after the stop', async () => {
			const client = await connectClient({
				baseUrl: server.url,
				apiKey: KEY,
				signal: AbortSignal.abort(),
			});

			await client.pauseJob('job_1');

			expect(server.arrivals[0]?.path).toBe('/v1/pause_job/job_1');
		});

		it('lets a start that was sent come to its end: its answer holds a job that costs money', async () => {
			const stop = new AbortController();
			let answer = () => {};
			server.answers((_arrival, response) => {
				answer = () => response.end('{"job_id":"job_1"}');
			});
			const client = await connectClient({
				baseUrl: server.url,
				apiKey: KEY,
				signal: stop.signal,
			});

			const starting = client.startAgent({ directive: 'Go' }, { signal: stop.signal });
			await eventually(() => expect(server.arrivals).toHaveLength(1));
			stop.abort();
			answer();
			const started = await starting;

			expect(started.job_id).toBe('job_1');
		});

		it('does not begin a start', async () => {
			const client = await connectClient({ baseUrl: server.url, apiKey: KEY });

			const refusal = await refusalOf(
				client.startAgent({ directive: 'Go' }, { signal: AbortSignal.abort() }),
			);

			expect(refusal.kind).toBe('stopped');
			expect(server.arrivals).toEqual([]);
		});
	});

	describe('counts the calls of an account together', () => {
		const statusBudgetOf = async (baseUrl: string, apiKey: string) =>
			(await connectClient({ baseUrl, apiKey })).statusBudget;

		it.each([
			['the same credential', '', KEY],
			['an address that is written in another way', '/v1/', KEY],
			['a key with space around it', '', ` ${KEY}\n`],
		])('for %s', async (_label, ending, apiKey) => {
			const first = await connectClient({ baseUrl: server.url, apiKey: KEY });

			const second = await statusBudgetOf(server.url + ending, apiKey);

			expect(second).toBe(first.statusBudget);
			expect(rememberedAccounts()).toBe(1);
		});

		it.each([
			['another key', '', 'another-key-1234'],
			['another address', '/agents', KEY],
		])('but not for %s', async (_label, ending, apiKey) => {
			const first = await connectClient({ baseUrl: server.url, apiKey: KEY });

			const second = await statusBudgetOf(server.url + ending, apiKey);

			expect(second).not.toBe(first.statusBudget);
		});
	});
});
