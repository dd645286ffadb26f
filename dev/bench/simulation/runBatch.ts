import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import { simulateAccount } from './simulateAccount';
import { SimulatedProcess } from './SimulatedProcess';

/**
 * Runs jobs of these durations to their ends, begun in their order, in simulated time. `delays` are
 * the seconds after which ends were seen.
 */
export async function runBatch(
	durationsSeconds: number[],
	{ maxParallel, seed }: { maxParallel: number; seed: number },
) {
	const { account, random } = simulateAccount(seed);
	const { clock } = account;
	const process = new SimulatedProcess(account, random);
	const delays: number[] = [];

	await limitConcurrency(durationsSeconds, maxParallel, async (seconds) => {
		const job = await process.start(seconds * 1000);
		await process.waitFor(job);
		delays.push((clock.now() - job.startedAt) / 1000 - seconds);
	});
	return { makespanSeconds: clock.now() / 1000, delays };
}
