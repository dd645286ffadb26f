import { http, PRO, setUpSandbox } from './setUpSandbox';

describe('Admin API of the sandbox', () => {
	const sandbox = setUpSandbox();
	const get = async (path: string) => await http.get(`${sandbox.url}/_sandbox/${path}`);
	const post = async (path: string, body?: unknown) =>
		await http.post(`${sandbox.url}/_sandbox/${path}`, body);

	it('lists its calls at its root, with what each of them does', async () => {
		const { status, headers, data } = await http.get<string>(`${sandbox.url}/_sandbox/`);

		const lines = data.trimEnd().split('\n');
		const calls = lines.map((line) => /^(\w+ +\S+) +\w.+$/.exec(line)?.[1]);
		expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
		expect(calls).toEqual([
			'POST /_sandbox/reset',
			'POST /_sandbox/scripts',
			'POST /_sandbox/faults',
			'GET  /_sandbox/jobs',
			'GET  /_sandbox/jobs/:id/live',
			'GET  /_sandbox/jobs/:id/history',
			'GET  /_sandbox/requests',
			'GET  /_sandbox/counters',
			'POST /_sandbox/time/advance',
			'POST /_sandbox/limits',
			'POST /_sandbox/credits',
		]);
	});

	it('controls and observes the sandbox as `admin` does in process', async () => {
		await post('scripts', [{ durationSeconds: 60 }]);
		await post('faults', { endpoint: 'getHealth', kind: 'status', status: 503 });
		await post('credits', { key: PRO, credits: 5 });
		const [{ data: job }, health] = [await sandbox.client.start(), await sandbox.client.health()];
		await post('time/advance', { seconds: 30 });

		const [started] = (await get('jobs')).data;
		const shown = await http.get(job.live_url);
		const { data: requests } = await get('requests?endpoint=getHealth');
		const { data: counters } = await get('counters');

		expect(health.status).toBe(503);
		expect(started).toMatchObject({ job_id: job.job_id, status: 'failed', creditsUsed: 5 });
		expect(shown.data).toEqual(started);
		expect(requests).toMatchObject([{ path: '/v1/health', answered: 503 }]);
		expect(counters).toMatchObject({ starts: 1, faults: 1, maxInWindow: { starts: 1 } });
	});

	it('switches the rate limits on', async () => {
		await post('limits', { limits: 'on' });

		const responses = await Promise.all(Array.from({ length: 11 }, () => sandbox.client.start()));

		expect(responses.filter(({ status }) => status === 429)).toHaveLength(1);
	});

	it('forgets everything with a reset', async () => {
		await sandbox.startJob();

		await post('reset');

		expect((await get('jobs')).data).toEqual([]);
	});

	it.each([
		['scripts', [{ seconds: 5 }], 400, /Unrecognized key.*'seconds'/],
		['time/advance', { seconds: -1 }, 400, 'Time can only be advanced'],
		['credits', { key: 'none', credits: 1 }, 404, 'There is no account with the key none'],
	])('says what is wrong with the body: POST %s', async (path, body, expected, detail) => {
		const { status, data } = await post(path, body);

		expect(status).toBe(expected);
		expect(data.detail).toEqual(expect.stringMatching(detail));
	});

	it('says which call it does not know', async () => {
		const { status, data } = await http.get(`${sandbox.url}/_sandbox/nothing`);

		expect([status, data]).toEqual([404, { detail: 'The admin API has no GET /nothing' }]);
	});

	it('says which job it does not know', async () => {
		const { status, data } = await get('jobs/job_1/history');

		expect([status, data]).toEqual([404, { detail: 'There is no job job_1' }]);
	});
});
