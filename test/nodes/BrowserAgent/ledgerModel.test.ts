import fc from 'fast-check';

import { commands } from '../../support/ledgerModel/commands';
import { LedgerSystem } from '../../support/ledgerModel/LedgerSystem';
import { useModelTimers } from '../../support/ledgerModel/useModelTimers';

// `npm run test:model` runs more of them. A failure names its seed, to be repeated with MODEL_SEED.
const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 150);
const FIRST_SEED = Number(process.env.MODEL_SEED ?? 1);
const MAX_MINUTES = Number(process.env.MODEL_MINUTES ?? 60);
const SEQUENCES_PER_SEED = 500;

const timers = useModelTimers();

/** Runs random sequences of events, and checks after each of them what must hold. */
async function runSequences(numRuns: number, seed: number): Promise<void> {
	await fc.assert(
		fc.asyncProperty(fc.commands(commands, { maxCommands: 25, size: 'max' }), async (sequence) => {
			const system = new LedgerSystem();
			timers.use(system);
			const model = { executions: 0, isOpen: false };
			await fc.asyncModelRun(() => ({ model, real: system }), sequence);
			await system.finish();
		}),
		{ numRuns, seed },
	);
}

describe('The ledger', () => {
	it(
		'starts no job twice, loses none, and leaves none running unseen, whatever happens',
		async () => {
			const end = performance.now() + MAX_MINUTES * 60_000;
			let done = 0;
			for (let seed = FIRST_SEED; done < SEQUENCES && performance.now() < end; seed++) {
				const numRuns = Math.min(SEQUENCES - done, SEQUENCES_PER_SEED);
				await runSequences(numRuns, seed);
				done += numRuns;
			}
			if (process.env.MODEL_SEQUENCES !== undefined) {
				process.stdout.write(`${done} sequences, seeds from ${FIRST_SEED}\n`);
			}
			expect(done).toBeGreaterThan(0);
		},
		(MAX_MINUTES + 5) * 60_000,
	);
});
