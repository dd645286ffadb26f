import { http, setUpSandbox } from './setUpSandbox';

describe('Admin API of the sandbox', () => {
	const sandbox = setUpSandbox();

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
			'POST /_sandbox/jobs/:id/pause',
			'POST /_sandbox/jobs/:id/resume',
			'POST /_sandbox/jobs/:id/takeOver',
			'GET  /_sandbox/requests',
			'GET  /_sandbox/counters',
			'POST /_sandbox/time/advance',
			'POST /_sandbox/limits',
			'POST /_sandbox/credits',
		]);
	});

	it('says which call it does not know', async () => {
		const { status, data } = await http.get(`${sandbox.url}/_sandbox/nothing`);

		expect([status, data]).toEqual([404, { detail: 'The admin API has no GET /nothing' }]);
	});
});
