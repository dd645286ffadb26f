import {
	isGood,
	isOutOfReach,
	isReached,
	toJudged,
	toVerdict,
	type Check,
	type RowResult,
} from '../../../dev/bench/Bench';
import { toLine, toText } from '../../../dev/bench/report';

const fast: Check = { figureOf: 'to load', value: 5, atMost: 12, unit: ' ms' };
const slow: Check = { ...fast, value: 13 };
const fair: Check = { figureOf: 'as index', value: 0.93, atLeast: 0.9 };
const unfair: Check = { ...fair, value: 0.8 };
const impossible: Check = { ...unfair, limit: { value: 0.85, reason: 'starts are whole' } };

const of = (...checks: Check[]): RowResult => ({ checks, table: [], notes: '' });
const failed: RowResult = { ...of(), error: 'No service' };

describe('a check', () => {
	it.each([
		['below its maximum', { ...fast, value: 11.9 }, true],
		['at its maximum', { ...fast, value: 12 }, true],
		['above its maximum', { ...fast, value: 12.1 }, false],
		['above its minimum', { ...fair, value: 0.95 }, true],
		['at its minimum', { ...fair, value: 0.9 }, true],
		['below its minimum', { ...fair, value: 0.89 }, false],
		['not a number, with a maximum', { ...fast, value: NaN }, false],
		['not a number, with a minimum', { ...fair, value: NaN }, false],
	])('with a value %s', (_, check, expected) => {
		expect(isReached(check)).toBe(expected);
	});

	it.each([
		['without a limit', unfair, false],
		[
			'with a limit better than its minimum',
			{ ...unfair, limit: { value: 0.95, reason: '' } },
			false,
		],
		['with a limit worse than its minimum', impossible, true],
		['with a limit better than its maximum', { ...slow, limit: { value: 1, reason: '' } }, false],
		['with a limit worse than its maximum', { ...slow, limit: { value: 20, reason: '' } }, true],
	])('%s: whether its target is out of reach', (_, check, expected) => {
		expect(isOutOfReach(check)).toBe(expected);
	});
});

describe('the result of a row', () => {
	it.each([
		['reached', of(fast, fair)],
		['not reached', of(fast, slow)],
		['not reached', of(impossible, slow)],
		['reached, except what is out of reach', of(fast, impossible)],
		['failed', failed],
	])('%s', (verdict, result) => {
		expect(toVerdict(result)).toBe(verdict);
		expect(isGood(result)).toBe(verdict.startsWith('reached'));
	});

	it('is judged by its simulated checks only in the quick form', () => {
		const simulated = { ...fair, isSimulated: true };
		const result = of(slow, simulated);

		expect(toJudged(result, { isQuick: true }).checks).toEqual([simulated]);
		expect(toJudged(result, { isQuick: false }).checks).toEqual([slow, simulated]);
	});

	it('stays a failure in the quick form', () => {
		expect(isGood(toJudged(failed, { isQuick: true }))).toBe(false);
	});
});

describe('a figure in words', () => {
	it.each([
		['5 ms to load (at most 12 ms)', fast],
		['13 ms to load (NOT at most 12 ms)', slow],
		['0.93 as index (at least 0.9)', fair],
		[
			'0.8 as index (NOT at least 0.9; out of reach, the limit is 0.85: starts are whole)',
			impossible,
		],
		[
			'0.93 as index (at least 0.9; the limit is 0.998: starts are whole)',
			{ ...fair, limit: { value: 0.998, reason: 'starts are whole' } },
		],
	])('%s', (text, check) => {
		expect(toText(check, { isJudged: true })).toBe(text);
	});

	it('has no target when it is not judged', () => {
		expect(toText(slow, { isJudged: false })).toBe('13 ms to load');
	});
});

describe('a row in one line', () => {
	const row = { title: 'Start-up' };

	it.each([
		['the verdict and the figures', of(slow), false, /^Start-up +NOT REACHED +13 ms .*NOT at most/],
		['no verdict on timing in the quick form', of(slow), true, /^Start-up +works +13 ms to load$/],
		[
			'the verdict on simulated figures in the quick form',
			of(slow, { ...unfair, isSimulated: true }),
			true,
			/^Start-up +NOT REACHED +13 ms to load; 0.8 as index \(NOT at least 0.9\)$/,
		],
		['the error', failed, true, /^Start-up +FAILED +No service$/],
	])('shows %s', (_, result, isQuick, line) => {
		expect(toLine(row, result, { isQuick })).toMatch(line);
	});
});
