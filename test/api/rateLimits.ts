import type { AxiosResponse } from 'axios';

import type { Api } from './Api';

/** Tests the documented rate limits. */
export function testRateLimits(api: Api): void {
	const { driver } = api;
	const { otherKey } = driver.differences;

	/** Makes the call this often and returns how many were rate-limited. */
	async function countLimited(times: number, call: () => Promise<AxiosResponse>): Promise<number> {
		const responses = await Promise.all(Array.from({ length: times }, call));
		return responses.filter(({ status }) => status === 429).length;
	}

	// A start without a directive counts, and needs no place for a job.
	const start = () => api.client.start({});

	describe('Rate limits', () => {
		beforeEach(() => driver.limitRates());

		it.each([
			['10 starts', 10, start],
			['60 polls', 60, () => api.client.status('job_none')],
			['60 balances', 60, () => api.client.balance()],
		])('allow %s per minute', async (_label, limit, call) => {
			expect(await countLimited(limit + 5, call)).toBe(5);
		});

		it('answer 429 with the seconds to wait, and start no job', async () => {
			await countLimited(10, start);
			await driver.advance(20.5);

			const { status, data, headers } = await api.client.start();

			expect([status, data]).toEqual([429, '']);
			expect(headers).toMatchObject({ 'content-length': '0', 'retry-after': '40' });
			expect(await driver.countJobs()).toBe(0);
		});

		it('allow another call once the first is a minute ago', async () => {
			await countLimited(10, start);

			await driver.advance(60);

			expect((await api.client.start()).status).toBe(200);
		});

		it('are shared by starts of agents and workflows', async () => {
			await countLimited(6, start);

			expect(await countLimited(6, () => api.client.runWorkflow('none'))).toBe(2);
		});

		it('count no call without a valid key', async () => {
			await countLimited(20, () => api.clientWith('an-unknown-key').balance());

			expect(await countLimited(60, () => api.client.balance())).toBe(0);
		});

		if (otherKey !== undefined) {
			it('count each account by itself', async () => {
				await countLimited(10, start);

				expect((await api.clientWith(otherKey).start()).status).toBe(200);
			});
		}
	});
}
