import type { Row } from '../Bench';
import { median } from '../figures';
import { toTable } from '../results';
import { simulateAccount } from '../simulation/simulateAccount';
import { SimulatedProcess } from '../simulation/SimulatedProcess';

const MINUTE_MS = 60_000;
const SPANS = 4;

export const pollCost: Row = {
	name: 'pollCost',
	title: 'A poll among 10,000 waits',
	isQuick: true,

	async run({ isQuick }) {
		const spanMs = (isQuick ? 5 : 60) * MINUTE_MS;
		const ratios: number[] = [];
		const costs: number[] = [];
		for (let seed = 0; seed < (isQuick ? 1 : 3); seed++) {
			const few = await cpuMsPerPoll(1_000, { spanMs, seed });
			const many = await cpuMsPerPoll(10_000, { spanMs, seed });
			ratios.push(many / few);
			costs.push(many);
		}
		const checks = [
			{
				figureOf: 'times the CPU among 1,000 waits',
				value: median(ratios),
				atMost: 1.5,
			},
			{
				figureOf: 'CPU of a poll',
				value: median(costs),
				atMost: 0.6,
				unit: ' ms',
				isAbsolute: true,
			},
		];
		return {
			summary: [],
			checks,
			table: toTable(checks),
			notes: 'With the call itself and the sandbox, in simulated time.',
		};
	},
};

/**
 * The CPU time of a poll among this many waits, in ms. Of several spans of simulated time, the one
 * counts that other work on the machine has disturbed least.
 */
async function cpuMsPerPoll(
	count: number,
	{ spanMs, seed }: { spanMs: number; seed: number },
): Promise<number> {
	const { account, random } = simulateAccount(seed);
	const { clock, polls } = account;
	const waiting = new SimulatedProcess(account, random);
	for (let wait = 0; wait < count; wait++) {
		void waiting.waitFor({ jobId: account.givenJob().id });
	}
	// The first span begins with a burst.
	await clock.sleep(spanMs);

	const costs: number[] = [];
	for (let span = 0; span < SPANS; span++) {
		const pollsBefore = polls.length;
		const cpuBefore = process.cpuUsage();
		await clock.sleep(spanMs);
		const { user, system } = process.cpuUsage(cpuBefore);
		costs.push((user + system) / 1000 / (polls.length - pollsBefore));
	}
	clock.stop();
	return Math.min(...costs);
}
