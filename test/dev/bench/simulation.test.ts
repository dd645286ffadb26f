import { runBatch } from '../../../dev/bench/simulation/runBatch';
import { seededRandom } from '../../../dev/bench/simulation/seededRandom';
import { seeSimulatedEnd } from '../../../dev/bench/simulation/seeEnds';
import { shareAccount, sharingLimits } from '../../../dev/bench/simulation/shareAccount';
import { waitTogether } from '../../../dev/bench/simulation/waitTogether';

describe('random numbers of a seed', () => {
	it('are the same each time and different for another seed', () => {
		const numbersOf = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));

		expect(numbersOf(1)).toEqual(numbersOf(1));
		expect(numbersOf(1)).not.toEqual(numbersOf(2));
	});

	it('are spread evenly between 0 and 1', () => {
		const numbers = Array.from({ length: 10_000 }, seededRandom(7));
		const inTenths = Array.from(
			{ length: 10 },
			(_, tenth) => numbers.filter((number) => Math.floor(number * 10) === tenth).length,
		);

		expect(Math.min(...inTenths)).toBeGreaterThan(900);
		expect(Math.max(...inTenths)).toBeLessThan(1_100);
	});
});

it('a simulation gives the same result for the same seed', async () => {
	const options = { processes: 3, warmUpMinutes: 1, minutes: 2, seed: 4 };

	expect(await shareAccount('ours', options)).toEqual(await shareAccount('ours', options));
});

it('simulated polls at a fixed interval see the end at the first poll after it', async () => {
	const { polls, delaySeconds } = await seeSimulatedEnd(10, { everySeconds: 4, seed: 1 });

	expect(polls).toBe(3);
	expect(delaySeconds).toBeGreaterThan(2);
	expect(delaySeconds).toBeLessThan(2.3);
});

it('simulated round robin polls each job once in as many seconds as there are jobs', async () => {
	const result = await waitTogether('roundRobin', [600, 600, 600, 600, 600], 1);

	expect(result.longestGapSeconds).toBeCloseTo(5);
	expect(result.shareOfLimit).toBeCloseTo(1, 1);
});

describe('a simulated batch', () => {
	const eleven = Array<number>(11).fill(20);

	it.each([
		// The eleventh start has to wait for a minute, and a poll comes within two seconds of the end.
		['ours', 80, 83],
		// The eleventh start is 62 s after the first; then 30 s of Wait and all polls.
		['loop', 92, 93],
	] as const)('of eleven jobs of 20 s, %s, takes %d to %d s', async (way, from, to) => {
		const result = await runBatch(way, eleven, { maxParallel: 10, seed: 3 });

		expect(result.makespanSeconds).toBeGreaterThan(from);
		expect(result.makespanSeconds).toBeLessThan(to);
		expect(result.refused).toBe(0);
	});
});

describe('the limits of sharing an account', () => {
	it.each([
		['8 processes', { processes: 8, warmUpMinutes: 0, minutes: 10 }, 0, 0.998],
		['64 cold processes', { processes: 64, warmUpMinutes: 0, minutes: 10 }, 54 / 754, 0.908],
		[
			'64 processes that know of the others',
			{ processes: 64, warmUpMinutes: 9, minutes: 10 },
			0,
			0.908,
		],
	])('%s', (_, situation, refused, fairness) => {
		const limits = sharingLimits(situation);

		expect(limits.refused).toBeCloseTo(refused);
		expect(limits.fairness).toBeCloseTo(fairness, 3);
		expect(limits.shareOfStarts).toBe(1);
	});
});
