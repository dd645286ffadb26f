import fc from 'fast-check';

import { crowdOf, PollCrowd } from '../../../nodes/jobs/pollCrowd';
import { fakeClock } from '../../support/fakeClock';

const MINUTE_MS = 60_000;

/** A budget of so many calls a minute, some of them free right now. */
function aBudget({ callsPerMinute = 60, freeCalls = 60 } = {}) {
	return { callsPerMs: callsPerMinute / MINUTE_MS, freeCalls };
}

/** A crowd that spreads nothing, so that its pauses can be told in advance. */
function aCrowd(budget = aBudget(), clock = fakeClock()): PollCrowd {
	return new PollCrowd(budget, clock, () => 0.5);
}

describe('the pace of waiting jobs', () => {
	it('is the one that pays for a job alone', () => {
		const pace = aCrowd().join(0, 0);

		const pauses = [0, 60_000, 600_000].map((ageMs) => pace.pauseAfter(ageMs));

		expect(pauses).toEqual([1_000, 3_000, 30_000]);
	});

	it.each([
		['a longer one', 5_000, 5_000],
		['a shorter one', 500, 1_000],
	])('is never quicker than the user wants: %s', (_label, minimumMs, pauseMs) => {
		const pace = aCrowd().join(0, minimumMs);

		expect(pace.pauseAfter(0)).toBe(pauseMs);
	});

	it("is never quicker than the user wants, by chance either: not a moment below 'Poll Interval'", () => {
		const pace = new PollCrowd(aBudget(), fakeClock(), () => 0).join(0, 5_000);

		expect(pace.pauseAfter(0)).toBe(5_000);
	});

	it('is spread, so that processes that began together do not march in step', () => {
		const [quick, slow] = [0, 1].map((chance) =>
			new PollCrowd(aBudget(), fakeClock(), () => chance).join(0, 0).pauseAfter(0),
		);

		expect([quick, slow]).toEqual([850, 1_150]);
	});

	it('slows down for all as far as the budget needs it', () => {
		const crowd = aCrowd(aBudget({ callsPerMinute: 60 }));
		const paces = Array.from({ length: 120 }, () => crowd.join(0, 0));

		for (const pace of paces) pace.pauseAfter(0);
		const pauses = paces.map((pace) => pace.pauseAfter(0));

		expect(pauses.every((pauseMs) => Math.abs(pauseMs - 120_000) < 1)).toBe(true);
	});

	it('picks up again when others have finished', () => {
		const crowd = aCrowd(aBudget({ callsPerMinute: 60 }));
		const paces = Array.from({ length: 10 }, () => crowd.join(0, 0));
		for (const pace of paces) pace.pauseAfter(0);

		for (const pace of paces.slice(1)) pace.end(true);

		expect(paces[0]?.pauseAfter(0)).toBeCloseTo(1_000);
	});

	it('of all jobs together fits into the budget, whatever their ages', () => {
		const ages = fc.array(fc.integer({ min: 0, max: 4 * 60 * MINUTE_MS }), {
			minLength: 1,
			maxLength: 200,
		});

		fc.assert(
			fc.property(ages, fc.integer({ min: 1, max: 60 }), (all, callsPerMinute) => {
				const crowd = aCrowd(aBudget({ callsPerMinute }));
				const paces = all.map((ageMs) => ({ ageMs, pace: crowd.join(ageMs, 0) }));
				for (const { ageMs, pace } of paces) pace.pauseAfter(ageMs);

				const callsPerMs = paces
					.map(({ ageMs, pace }) => 1 / pace.pauseAfter(ageMs))
					.reduce((sum, one) => sum + one, 0);

				expect(callsPerMs * MINUTE_MS).toBeLessThanOrEqual(callsPerMinute * 1.001);
			}),
		);
	});

	describe('when a job has finished', () => {
		it('lets those of its age be looked at now', async () => {
			const clock = fakeClock();
			const crowd = aCrowd(aBudget(), clock);
			const [first, second] = [crowd.join(0, 0), crowd.join(0, 0)];
			second.pauseAfter(0);
			await clock.advance(5_000);

			first.end(true);

			expect(second.wake.aborted).toBe(true);
		});

		it.each([
			['a job that began much later', true, 20_000, 0, 60],
			['anybody, when the job has not finished', false, 0, 0, 60],
			['a job before the pause that the user wants is over', true, 0, 60_000, 60],
			['anybody, when the budget has no room', true, 0, 0, 1],
		])('does not wake %s', async (_label, isFinished, laterMs, minimumMs, freeCalls) => {
			const clock = fakeClock();
			const crowd = aCrowd(aBudget({ freeCalls }), clock);
			const first = crowd.join(0, 0);
			await clock.advance(laterMs);
			const second = crowd.join(0, minimumMs);
			second.pauseAfter(0);
			await clock.advance(5_000);

			first.end(isFinished);

			expect(second.wake.aborted).toBe(false);
		});

		it('takes half of the room at most, for others call too', async () => {
			const clock = fakeClock();
			const crowd = aCrowd(aBudget({ freeCalls: 10 }), clock);
			const first = crowd.join(0, 0);
			const others = Array.from({ length: 20 }, () => crowd.join(0, 0));
			for (const pace of others) pace.pauseAfter(0);
			await clock.advance(5_000);

			first.end(true);

			expect(others.filter(({ wake }) => wake.aborted)).toHaveLength(5);
		});

		it('wakes nobody whose own wait is over', async () => {
			const clock = fakeClock();
			const crowd = aCrowd(aBudget(), clock);
			const [first, second] = [crowd.join(0, 0), crowd.join(0, 0)];
			second.pauseAfter(0);
			await clock.advance(5_000);
			second.end(false);

			first.end(true);

			expect(second.wake.aborted).toBe(false);
		});
	});

	it('is one for all jobs of a budget', () => {
		const [clock, budget] = [fakeClock(), aBudget()];

		expect(crowdOf(budget, clock)).toBe(crowdOf(budget, clock));
		expect(crowdOf(aBudget(), clock)).not.toBe(crowdOf(budget, clock));
	});
});
