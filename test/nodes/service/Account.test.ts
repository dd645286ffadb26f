import { accountBudget, rememberedAccounts } from '../../../nodes/service/Account';
import { fakeClock } from '../../support/fakeClock';
import { setServiceLimits } from '../../support/testRuntime';

const HOUR_MS = 3_600_000;

describe('the budgets of accounts', () => {
	afterEach(() => setServiceLimits());

	it('are the same for all who use an account, from the first moment on', () => {
		const clock = fakeClock();

		const first = accountBudget('one', clock);
		const second = accountBudget('one', clock);

		expect(second).toBe(first);
	});

	it('are others for each account', () => {
		const clock = fakeClock();

		const one = accountBudget('one', clock);
		const other = accountBudget('other', clock);

		expect(other).not.toBe(one);
		expect(rememberedAccounts()).toBe(2);
	});

	it.each([
		['start', 10],
		['status', 60],
		['balance', 60],
	] as const)('have the documented limit: %s', (kind, calls) => {
		const budget = accountBudget('one', fakeClock());

		expect(budget[kind].freeCalls).toBe(calls);
	});

	it('do not take room from one another', async () => {
		const { start, status } = accountBudget('one', fakeClock());

		await start.run(async () => {}, {});

		expect([start.freeCalls, status.freeCalls]).toEqual([9, 60]);
	});

	it('are kept while a job is polled every half hour', async () => {
		const clock = fakeClock();
		const { status } = accountBudget('one', clock);
		await status.run(async () => {}, {});

		await clock.advance(HOUR_MS / 2);

		expect(accountBudget('one', clock).status).toBe(status);
	});

	it('are forgotten after an hour without a call, though nobody asks for another', async () => {
		const clock = fakeClock();
		const { status } = accountBudget('one', clock);
		await status.run(async () => {}, {});

		for (let minutes = 0; minutes <= 70; minutes += 10) await clock.advance(HOUR_MS / 6);

		expect(rememberedAccounts()).toBe(0);
		expect(accountBudget('one', clock).status).not.toBe(status);
	});

	it('are forgotten for a thousand accounts that come once, so that memory does not fill', async () => {
		const clock = fakeClock();

		for (let account = 0; account < 1_000; account++) {
			accountBudget(`account ${account}`, clock);
			await clock.advance(HOUR_MS / 10);
		}

		expect(rememberedAccounts()).toBeLessThanOrEqual(12);
	});

	it('begin anew with another clock, and with other limits', () => {
		const clock = fakeClock();
		const first = accountBudget('one', clock);

		const withOtherClock = accountBudget('one', fakeClock());
		setServiceLimits({
			start: { calls: 3, windowMs: 1_000 },
			status: { calls: 4, windowMs: 1_000 },
			balance: { calls: 5, windowMs: 1_000 },
		});
		const withOtherLimits = accountBudget('one', clock);

		expect(withOtherClock).not.toBe(first);
		expect(withOtherLimits.start.freeCalls).toBe(3);
	});
});
