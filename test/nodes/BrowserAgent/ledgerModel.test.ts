import fc from 'fast-check';

import { commands } from '../../support/ledgerModel/commands';
import { LedgerSystem, type Scenario } from '../../support/ledgerModel/LedgerSystem';
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

/** A system in which this has begun. */
async function begin(scenario: Partial<Scenario>): Promise<LedgerSystem> {
	const system = new LedgerSystem();
	timers.use(system);
	await system.begin({ ...SCENARIO, ...scenario });
	return system;
}

// Minimal forms of what random sequences have found.
describe('The ledger, in sequences that once broke it,', () => {
	it('has one job for equal calls of a tool at the same time, which Stop pauses', async () => {
		const system = await begin({
			form: 'tool called by the agent',
			areAtOnce: true,
			tasks: ['task 0', 'task 0'],
		});
		await system.time.advance(1_000);

		await system.stop();

		await system.finish();
		expect(system.service.jobs).toMatchObject([{ status: 'paused' }]);
	});

	it('pauses no job that an equal call of the tool waits for when the first call is rejected', async () => {
		const system = new LedgerSystem();
		timers.use(system);
		system.service.script('start', {
			kind: 'status',
			statusCode: 400,
			afterMs: 100,
			isProcessed: false,
		});
		await system.begin({
			...SCENARIO,
			form: 'tool called by the agent',
			areAtOnce: true,
			pauseWhenAbandoned: true,
			maxWaitMinutes: 5,
			tasks: ['task 0', 'task 0'],
		});

		await system.time.advance(60_000);

		expect(system.service.jobs).toMatchObject([{ pauseRequests: 0, status: 'running' }]);
		await system.finish();
	});

	it('resumes a job whose pause by the earlier try was still on its way', async () => {
		const system = await begin({ pauseWhenAbandoned: true, tries: 2 });
		system.service.script('pause', { kind: 'ok', afterMs: 9_000 });
		await system.time.advance(20_000);

		await system.finish();

		expect(system.service.jobs).toMatchObject([{ pauseRequests: 1, status: 'completed' }]);
	});

	it('resumes a job whose pause by the earlier try had no response', async () => {
		const system = await begin({ pauseWhenAbandoned: true, tries: 2 });
		for (let attempt = 0; attempt < 5; attempt++) {
			system.service.script('pause', {
				kind: 'lost',
				code: 'ECONNRESET',
				afterMs: 0,
				isProcessed: attempt === 0,
			});
		}
		await system.time.advance(30_000);

		await system.finish();

		expect(system.service.jobs).toMatchObject([{ status: 'completed' }]);
	});

	it('pauses a job again when Stop comes while it is being resumed', async () => {
		const system = await begin({ pauseWhenAbandoned: true, tries: 2 });
		system.service.script('resume', { kind: 'ok', afterMs: 9_000 });
		await system.time.advance(15_000);

		await system.stop();

		await system.finish();
		expect(system.service.jobs).toMatchObject([{ pauseRequests: 2, status: 'paused' }]);
	});

	it('pauses a job when Stop comes while the run ends because another item has failed', async () => {
		const system = new LedgerSystem();
		timers.use(system);
		system.service.script('start', { kind: 'truncated', afterMs: 0, isProcessed: false });
		await system.begin({ ...SCENARIO, tasks: ['task 0', 'task 1'] });

		await system.stop();

		await system.finish();
		expect(system.service.jobs).toMatchObject([{ status: 'paused' }]);
	});

	it('pauses a job at a Stop when the service has rejected an earlier pause of it', async () => {
		const system = await begin({
			pauseWhenAbandoned: true,
			onTimeout: 'return',
			maxParallelJobs: 1,
			tasks: ['task 0', 'task 1'],
		});
		system.service.script('pause', {
			kind: 'status',
			statusCode: 400,
			afterMs: 0,
			isProcessed: false,
		});
		await system.time.advance(15_000);

		await system.stop();

		await system.finish();
		expect(system.service.jobs).toMatchObject([{ status: 'paused' }, { status: 'paused' }]);
	});

	it('ends within a second of a Stop that comes while a job is being paused', async () => {
		const system = await begin({ pauseWhenAbandoned: true });
		system.service.script('pause', { kind: 'ok', afterMs: 9_000 });
		await system.time.advance(13_000);

		await system.stop();

		await system.finish();
		expect(system.service.jobs).toMatchObject([{ status: 'paused' }]);
	});

	it('pauses a job although the first request for it hangs', async () => {
		const system = await begin({});
		system.service.script('pause', { kind: 'hang', isProcessed: false });
		await system.time.advance(1_000);

		await system.stop();

		await system.finish();
		expect(system.service.jobs).toMatchObject([{ pauseRequests: 2, status: 'paused' }]);
	});
});
