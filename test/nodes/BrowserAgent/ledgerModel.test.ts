import fc from 'fast-check';

import { commands } from '../../support/ledgerModel/commands';
import { LedgerSystem } from '../../support/ledgerModel/LedgerSystem';
import { useModelTimers } from '../../support/ledgerModel/useModelTimers';

const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 150);
const SEED = Number(process.env.MODEL_SEED ?? 20_260_101);

const timers = useModelTimers();

it(`The ledger keeps its promises in ${SEQUENCES} random sequences of events`, async () => {
	await fc.assert(
		fc.asyncProperty(fc.commands(commands, { maxCommands: 25, size: 'max' }), async (sequence) => {
			const system = new LedgerSystem();
			timers.use(system);
			const model = { executions: 0, isOpen: false };
			await fc.asyncModelRun(() => ({ model, real: system }), sequence);
			await system.finish();
		}),
		{ numRuns: SEQUENCES, seed: SEED, verbose: 0 },
	);
}, 3_600_000);
