import { SimulatedAccount } from '../../engine/SimulatedAccount';
import { seededRandom } from './seededRandom';

/** On the way there, and on the way back. */
const MAX_LATENCY_MS = 40;
const WARM_UP = 10;

/** An account whose random numbers, `random`, are the same ones for each `seed`. */
export function simulateAccount(seed: number) {
	const random = seededRandom(seed);
	// The first numbers of neighboring seeds are similar.
	for (let count = 0; count < WARM_UP; count++) random();
	const account = new SimulatedAccount({ random, latencyMs: () => MAX_LATENCY_MS * random() });
	return { account, random };
}
