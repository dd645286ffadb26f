import type { AxiosResponse } from 'axios';

import { ENTERPRISE, setUpSandbox } from './setUpSandbox';

describe('Sandbox rate limits', () => {
	const sandbox = setUpSandbox({ limits: 'on' });

	/** Makes the call this often and returns how many were rate-limited. */
	async function countLimited(times: number, call: () => Promise<AxiosResponse>): Promise<number> {
		const responses = await Promise.all(Array.from({ length: times }, call));
		return responses.filter(({ status }) => status === 429).length;
	}

	const start = () => sandbox.client.start();

	it.each([
		['10 starts', 10, start],
		['60 polls', 60, () => sandbox.client.status('job_none')],
		['60 balances', 60, () => sandbox.client.balance()],
	])('allow %s per minute', async (_label, limit, call) => {
		expect(await countLimited(limit + 5, call)).toBe(5);
		expect((await sandbox.admin.counters()).rateLimited).toBe(5);
	});

	it('answer 429 with the seconds to wait, and start no job', async () => {
		await countLimited(10, start);
		await sandbox.admin.advance(20.5);

		const { status, data, headers } = await sandbox.client.start();

		expect([status, data]).toEqual([429, '']);
		expect(headers).toMatchObject({ 'content-length': '0', 'retry-after': '40' });
		expect(await sandbox.admin.jobs()).toHaveLength(10);
	});

	it('are shared by starts of agents and workflows of one account', async () => {
		await countLimited(6, start);

		expect(await countLimited(6, () => sandbox.client.runWorkflow('wf_daily_report'))).toBe(2);
		expect((await sandbox.clientWith(ENTERPRISE).start()).status).toBe(200);
	});
});
