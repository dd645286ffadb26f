import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { Credits } from '../../../local-service/jobs/Credits';
import { FakeClock } from '../support/FakeClock';
import { useTemporaryFolder } from '../support/temporaryData';

const DAY_MINUTES = 24 * 60;

describe('credits', () => {
	const temporaryFolder = useTemporaryFolder();

	function given(limit: number | undefined) {
		const file = path.join(temporaryFolder(), 'credits.json');
		const clock = new FakeClock();
		return { file, clock, credits: new Credits(file, limit, clock) };
	}

	it('are used up one by one', () => {
		const { credits } = given(2);
		credits.take();
		credits.take();
		expect(credits.left).toBe(0);
		expect(() => credits.take()).toThrow('The account ran out of credits');
	});

	it('are unlimited without a limit', () => {
		const { credits } = given(undefined);
		credits.take();
		expect(credits.left).toBeUndefined();
		expect(credits.nextReset).toBeUndefined();
	});

	it('are kept over a restart of the service', () => {
		const { file, clock, credits } = given(5);
		credits.take();
		credits.take();
		const next = new Credits(file, 5, clock);
		expect(next.left).toBe(3);
		expect(next.nextReset).toBe(credits.nextReset);
	});

	it('are full again after 30 days, counted from the first start', async () => {
		const { clock, credits } = given(1);
		const reset = credits.nextReset ?? 0;
		credits.take();
		await clock.passMinutes(30 * DAY_MINUTES - 1);
		expect(credits.left).toBe(0);
		await clock.passMinutes(2);
		expect(credits.left).toBe(1);
		expect(credits.nextReset).toBe(reset + 30 * DAY_MINUTES * 60_000);
	});

	it('are never below zero when the limit is lowered', () => {
		const { file, clock, credits } = given(5);
		for (let step = 0; step < 4; step++) credits.take();
		expect(new Credits(file, 2, clock).left).toBe(0);
	});

	it('are not taken when that can not be written', () => {
		const { file, clock } = given(5);
		const credits = new Credits(path.join(file, 'no-folder', 'credits.json'), 5, clock);
		expect(() => credits.take()).toThrow('could not write to its data folder');
		expect(credits.left).toBe(5);
	});

	it('are not given again where their file is damaged', () => {
		const { file, clock } = given(5);
		writeFileSync(file, '{"used":');
		expect(() => new Credits(file, 5, clock)).toThrow();
		expect(readFileSync(file, 'utf8')).toBe('{"used":');
	});
});
