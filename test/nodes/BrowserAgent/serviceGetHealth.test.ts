import { useSandbox, type FaultCase } from '../../support/useSandbox';

const service = useSandbox();

async function getHealth(more: { apiKey?: string; baseUrl?: string } = {}) {
	return await service.run({ resource: 'service', operation: 'getHealth', ...more });
}

describe('Service: Get Health', () => {
	it('returns the response of a healthy service', async () => {
		const { items } = await getHealth();

		expect(items).toEqual([
			{
				json: { healthy: true, status_code: 200, response: { status: 'ok' } },
				pairedItem: { item: 0 },
			},
		]);
	});

	it('does not send the key', async () => {
		await getHealth();

		const [request] = await service.requests();
		expect(request).toMatchObject({ method: 'GET', path: '/v1/health' });
		expect(JSON.stringify(request)).not.toContain('sandbox-pro-key');
	});

	it('works with a wrong key', async () => {
		const { items } = await getHealth({ apiKey: 'wrong-key-1234' });

		expect(items[0]?.json.healthy).toBe(true);
	});

	it.each<[string, FaultCase, object]>([
		[
			'a 503',
			{ kind: 'status', status: 503, body: { detail: 'Down for an hour' } },
			{ healthy: false, status_code: 503, response: { detail: 'Down for an hour' } },
		],
		[
			'the error page of a gateway',
			{ kind: 'body', status: 502, body: '<h1>Bad</h1>', contentType: 'text/html' },
			{ healthy: false, status_code: 502, response: '<h1>Bad</h1>' },
		],
		[
			'plain text',
			{ kind: 'body', body: 'OK', contentType: 'text/plain' },
			{ healthy: true, status_code: 200, response: 'OK' },
		],
	])('returns %s as an item', async (_label, fault, expected) => {
		await service.admin.fault({ endpoint: 'getHealth', ...fault });

		const { items, status } = await getHealth();

		expect(status).toBe('success');
		expect(items[0]?.json).toEqual(expected);
	});

	it('does not follow a redirect', async () => {
		const location = `${service.url}/v1/health`;
		await service.admin.fault({ endpoint: 'getHealth', kind: 'redirect', location });

		const { items } = await getHealth();

		expect(items[0]?.json).toMatchObject({ healthy: false, status_code: 302 });
		expect(await service.requests()).toHaveLength(1);
	});

	it('returns why the service could not be reached', async () => {
		const { items, status } = await getHealth({ baseUrl: 'http://127.0.0.1:1' });

		expect(status).toBe('success');
		expect(items[0]?.json).toEqual({ healthy: false, message: 'the connection was refused' });
	});
});
