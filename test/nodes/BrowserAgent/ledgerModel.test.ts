import fc from 'fast-check';

import { commands } from '../../support/ledgerModel/commands';
import { LedgerSystem, type Scenario } from '../../support/ledgerModel/LedgerSystem';
import type { Endpoint, ModelJob, Reply } from '../../support/ledgerModel/ModelService';
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

const SCENARIO: Scenario = {
	form: 'agent',
	tasks: ['task 0'],
	areAtOnce: false,
	waits: true,
	onStop: 'pause',
	pauseWhenAbandoned: false,
	tries: 1,
	onError: 'stopWorkflow',
	maxParallelJobs: 10,
	maxWaitMinutes: 0.2,
	onTimeout: 'fail',
	onUnsuccessful: 'fail',
	onPaused: 'wait',
	maxAttempts: 1,
};
const EQUAL_CALLS: Partial<Scenario> = {
	form: 'tool called by the agent',
	areAtOnce: true,
	tasks: ['task 0', 'task 0'],
};
const PAUSES: Partial<Scenario> = { pauseWhenAbandoned: true };
const PAUSES_AND_RETRIES: Partial<Scenario> = { ...PAUSES, tries: 2 };
const LATE: Reply = { kind: 'ok', afterMs: 9_000 };
const REFUSED: Reply = { kind: 'status', statusCode: 400, afterMs: 0, isProcessed: false };
const LOST: Reply = { kind: 'lost', code: 'ECONNRESET', afterMs: 0, isProcessed: false };

/** What begins, how the service replies, after how long there is a Stop or calm, and what becomes of the jobs. */
interface Case {
	scenario: Partial<Scenario>;
	replies?: Array<[Endpoint, Reply]>;
	stopAfterMs?: number;
	calmAfterMs?: number;
	jobs: Array<Partial<ModelJob>>;
}

// Minimal forms of what random sequences have found.
const CASES: Record<string, Case> = {
	'has one job for equal calls of a tool at the same time, which Stop pauses': {
		scenario: EQUAL_CALLS,
		stopAfterMs: 1_000,
		jobs: [{ status: 'paused' }],
	},
	'pauses no job that an equal call of the tool waits for when the first call is rejected': {
		scenario: { ...EQUAL_CALLS, ...PAUSES, maxWaitMinutes: 5 },
		replies: [['start', { ...REFUSED, afterMs: 100 }]],
		calmAfterMs: 60_000,
		jobs: [{ pauseRequests: 0, status: 'completed' }],
	},
	'resumes a job whose pause by the earlier run was still on its way': {
		scenario: PAUSES_AND_RETRIES,
		replies: [['pause', LATE]],
		calmAfterMs: 20_000,
		jobs: [{ pauseRequests: 1, status: 'completed' }],
	},
	'resumes a job whose pause by the earlier run had no response': {
		scenario: PAUSES_AND_RETRIES,
		replies: [
			['pause', { ...LOST, isProcessed: true }],
			...Array<[Endpoint, Reply]>(4).fill(['pause', LOST]),
		],
		calmAfterMs: 30_000,
		jobs: [{ status: 'completed' }],
	},
	'pauses a job again when Stop comes while it is being resumed': {
		scenario: PAUSES_AND_RETRIES,
		replies: [['resume', LATE]],
		stopAfterMs: 15_000,
		jobs: [{ pauseRequests: 2, status: 'paused' }],
	},
	'pauses a job when Stop comes while the run ends because another item has failed': {
		scenario: { tasks: ['task 0', 'task 1'] },
		replies: [['start', { kind: 'truncated', afterMs: 0, isProcessed: false }]],
		stopAfterMs: 0,
		jobs: [{ status: 'paused' }],
	},
	'pauses a job at a Stop when the service has rejected an earlier pause of it': {
		scenario: {
			...PAUSES,
			onTimeout: 'return',
			maxParallelJobs: 1,
			tasks: ['task 0', 'task 1'],
		},
		replies: [['pause', REFUSED]],
		stopAfterMs: 15_000,
		jobs: [{ status: 'paused' }, { status: 'paused' }],
	},
	'ends within a second of a Stop that comes while a job is being paused': {
		scenario: PAUSES,
		replies: [['pause', LATE]],
		stopAfterMs: 13_000,
		jobs: [{ status: 'paused' }],
	},
	'pauses a job although the first request for it hangs': {
		scenario: {},
		replies: [['pause', { kind: 'hang', isProcessed: false }]],
		stopAfterMs: 1_000,
		jobs: [{ pauseRequests: 2, status: 'paused' }],
	},
};

describe('The ledger, in sequences that once broke it,', () => {
	it.each(Object.entries(CASES))(
		'%s',
		async (_label, { scenario, replies = [], jobs, ...then }) => {
			const system = new LedgerSystem();
			timers.use(system);
			for (const [endpoint, reply] of replies) system.service.script(endpoint, reply);
			await system.begin({ ...SCENARIO, ...scenario });
			await system.time.advance(then.stopAfterMs ?? then.calmAfterMs ?? 0);

			if (then.stopAfterMs !== undefined) await system.stop();

			await system.finish();
			expect(system.service.jobs).toMatchObject(jobs);
		},
	);
});
