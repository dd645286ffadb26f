import type { Api } from './Api';
import { JOB_SECONDS } from './ApiDriver';

const MONTH_MS = 30 * 24 * 3600 * 1000;

/** Tests what jobs cost, and the balance. */
export function testCredits(api: Api): void {
	const { driver } = api;
	const { credits } = driver;
	const { creditsPerStep, unlimitedKey } = driver.differences;

	describe('Credits', () => {
		it.each(creditsPerStep)('are charged per step: %s costs %d', async (model, price) => {
			const plan = { steps: 10 };
			const jobId = await api.startJob(plan, { action_selection_model: model });

			await driver.advance(0.35 * JOB_SECONDS);
			const running = await api.poll(jobId);
			await driver.advance(0.65 * JOB_SECONDS);
			const completed = await api.poll(jobId);

			const credit_balance = credits - 3 * price;
			expect(running).toMatchObject({ credits_used: 3 * price, credit_balance });
			expect(completed).toMatchObject({ status: 'completed', credits_used: 10 * price });
		});

		it('that are used up fail a running job', async () => {
			const [model, price] = creditsPerStep[0] ?? [null, 1];
			const jobId = await api.startJob({ steps: 10 }, { action_selection_model: model });
			await driver.setCredits(2 * price);

			await driver.advance(JOB_SECONDS);

			expect(await api.poll(jobId)).toMatchObject({
				status: 'failed',
				credits_used: 2 * price,
				credit_balance: 0,
				error: expect.stringContaining('ran out of credits'),
			});
		});

		it('are in the balance, with their reset within 30 days', async () => {
			const { data } = await api.client.balance();

			expect(data).toMatchObject({ plan: 'pro', unlimited: false, credit_balance: credits });
			const wait = Date.parse(data.next_reset) - driver.now();
			expect(wait).toBeGreaterThan(0);
			expect(wait).toBeLessThanOrEqual(MONTH_MS);
		});

		if (unlimitedKey !== undefined) {
			it('without a limit have neither a number nor a reset', async () => {
				const { data } = await api.clientWith(unlimitedKey).balance();

				expect(data).toMatchObject({ unlimited: true, credit_balance: null, next_reset: null });
			});
		}
	});
}
