import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, FORBIDDEN, PRO } from './client';

type Call = (client: Client) => ReturnType<Client['balance']>;

const callsWithKey: Array<[string, Call]> = [
	['starting an agent', (client) => client.start()],
	['polling a job', (client) => client.status('job_1')],
	['pausing a job', (client) => client.pause('job_1')],
	['resuming a job', (client) => client.resume('job_1')],
	["listing a job's files", (client) => client.files('job_1')],
	['running a workflow', (client) => client.runWorkflow('wf_daily_report')],
	['reading the balance', (client) => client.balance()],
];

describe('who may use the service', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true });
	});
	afterAll(async () => await sandbox.close());

	describe.each(callsWithKey)('%s', (_label, call) => {
		it.each([
			['without a key', undefined],
			['with an unknown key', 'sandbox-unknown-key'],
			['with a known key in other letters', PRO.toUpperCase()],
		])('is refused with 401 %s', async (_case, key) => {
			const { status, data, headers } = await call(new Client(sandbox, key));

			expect(status).toBe(401);
			expect(data).toEqual({ detail: expect.any(String), status_code: 401 });
			expect(headers['www-authenticate']).toBe('Bearer');
		});

		it('is refused with 403 for a key without permission', async () => {
			const { status, data } = await call(new Client(sandbox, FORBIDDEN));

			expect(status).toBe(403);
			expect(data).toEqual({ detail: expect.any(String), status_code: 403 });
		});
	});

	it('does not take a key in another scheme than bearer', async () => {
		const client = new Client(sandbox);

		const { status } = await client.http.get('/v1/get_credit_balance', {
			headers: { Authorization: `Basic ${PRO}` },
		});

		expect(status).toBe(401);
	});

	it('does not repeat the key it refuses', async () => {
		const { data } = await new Client(sandbox, 'sandbox-unknown-key').balance();

		expect(JSON.stringify(data)).not.toContain('unknown-key');
	});

	it('tells its health to anyone', async () => {
		const withoutKey = await new Client(sandbox).health();
		const withWrongKey = await new Client(sandbox, 'sandbox-unknown-key').health();

		expect([withoutKey.status, withoutKey.data]).toEqual([200, { status: 'ok' }]);
		expect(withWrongKey.status).toBe(200);
	});

	it('refuses a wrong key before it looks at the body', async () => {
		const { status } = await new Client(sandbox).start({ width: 'broken' });

		expect(status).toBe(401);
	});

	it('keeps the accounts apart: the job of another is not found', async () => {
		const other = await startSandbox({
			accounts: [{ key: 'second-key', plan: 'pro', credits: 5 }],
		});
		const { data } = await new Client(other, PRO).start();
		const second = new Client(other, 'second-key');

		const answers = await Promise.all([
			second.status(data.job_id),
			second.pause(data.job_id),
			second.resume(data.job_id),
			second.files(data.job_id),
		]);
		await other.close();

		expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
		expect(answers[0]?.data).toEqual({ detail: 'Job not found', status_code: 404 });
	});

	it.each([
		['an unknown path', 'GET', '/v1/nothing', 404],
		['a path without its job ID', 'GET', '/v1/get_job_status/', 404],
		['a job ID that cannot be decoded', 'GET', '/v1/get_job_status/%zz', 404],
		['a job ID with an encoded slash', 'GET', '/v1/get_job_status/a%2Fb', 404],
		['a path that goes on after the job ID', 'GET', '/v1/get_job_status/a/b', 404],
		['a documented path with another method', 'POST', '/v1/get_credit_balance', 405],
		['a GET of the start', 'GET', '/v1/run_browser_agent', 405],
	])('answers %s with an error body', async (_label, method, url, status) => {
		const answer = await new Client(sandbox, PRO).http.request({ method, url });

		expect(answer.status).toBe(status);
		expect(answer.data).toEqual({ detail: expect.any(String), status_code: status });
	});
});
