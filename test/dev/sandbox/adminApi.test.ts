import { http, PRO, setUpSandbox } from './setUpSandbox';

describe('Admin API of the sandbox', () => {
	const sandbox = setUpSandbox();
	const get = async (path: string) => await http.get(`${sandbox.url}/_sandbox/${path}`);
	const post = async (path: string, body?: unknown) =>
		await http.post(`${sandbox.url}/_sandbox/${path}`, body);

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

	it('shows the body of a start as it was sent, without default values', async () => {
		const body = { directive: 'Look', browser_config: { width: 800 } };
		const { data } = await sandbox.client.start(body);

		const [started] = (await get('jobs')).data;
		const [request] = (await get('requests')).data;

		expect(started.request).toEqual(body);
		expect(request).toMatchObject({ endpoint: 'startAgent', jobId: data.job_id, body });
	});

	it('counts the calls above a rate limit', async () => {
		await post('limits', { limits: 'on' });
		for (let count = 0; count < 12; count++) await sandbox.client.start({});

		const { data: counters } = await get('counters');

		expect(counters).toMatchObject({ starts: 0, rateLimited: 2, maxInWindow: { starts: 12 } });
	});
});
