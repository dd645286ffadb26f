import fc from 'fast-check';

import type { Fault, JobScript } from '../../../dev/sandbox/types';
import { violationsOf } from '../../support/jobModel/violationsOf';
import {
	useModelSystems,
	type ModelSystem,
	type Play,
	type Scenario,
	type Step,
} from '../../support/jobModel/ModelSystem';
import { plays } from '../../support/jobModel/plays';

// `npm run test:model` runs more of them. A failure names its seed, to be repeated with MODEL_SEED.
const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 40);
const FIRST_SEED = Number(process.env.MODEL_SEED ?? 1);
const SEQUENCES_PER_SEED = 500;

const createSystem = useModelSystems();

/** Plays one execution after the other, and checks in the end what must hold of each. */
async function play(all: Play[]): Promise<ModelSystem> {
	const system = createSystem();
	for (const one of all) await system.play(one);
	await system.settle();
	const { executions, sandbox } = system;
	const violations = executions.flatMap((one) => violationsOf(one, sandbox, executions));
	expect(violations).toEqual([]);
	return system;
}

describe('The memory of started jobs', () => {
	it(
		'starts no job twice, loses none, and leaves none running unseen, whatever happens',
		async () => {
			for (let done = 0, seed = FIRST_SEED; done < SEQUENCES; seed++) {
				const numRuns = Math.min(SEQUENCES - done, SEQUENCES_PER_SEED);
				const property = fc.asyncProperty(plays, async (all) => void (await play(all)));
				await fc.assert(property, { numRuns, seed });
				done += numRuns;
			}
		},
		180_000 + SEQUENCES * 100,
	);
});

const OPTIONS: Scenario['options'] = {
	pauseJob: 'onStop',
	maxParallelJobs: 10,
	maxWaitMinutes: 0.2,
};
const SCENARIO: Scenario = {
	form: 'agent',
	tasks: ['task 0'],
	areAtOnce: false,
	waits: true,
	execution: 'new',
	options: OPTIONS,
	settings: {},
};
const EQUAL_CALLS: Partial<Scenario> = {
	form: 'called by the agent',
	areAtOnce: true,
	tasks: ['task 0', 'task 0'],
};
const PAUSES: Scenario['options'] = { ...OPTIONS, pauseJob: 'onEarlyEnd' };
const RETRIES = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
// With Continue On Fail, a retry is not certain, so the node pauses the job before it.
const CONTINUES: Scenario['settings'] = { ...RETRIES, onError: 'continueRegularOutput' };
const PAUSES_AND_RETRIES: Partial<Scenario> = { options: PAUSES, settings: CONTINUES };
const LATE = { kind: 'delay', delaySeconds: 9 } as const;
const REJECTED = { kind: 'status', status: 400 } as const;
const RETRY_LATER = { kind: 'status', status: 429, headers: { 'retry-after': '90' } } as const;
const LOST_AFTER = { kind: 'reset', when: 'after' } as const;

/** What is to become of the jobs of a scenario. */
interface Case {
	scenario: Partial<Scenario>;
	faults?: Fault[];
	steps?: Step[];
	jobSeconds?: number;
	jobs: Array<{ status: string; pauses?: number }>;
}

// Minimal forms of what random sequences have found, or would need long to find.
const CASES: Record<string, Case> = {
	'has one job for equal calls of a tool at the same time, which Stop pauses': {
		scenario: EQUAL_CALLS,
		steps: [['pass', 1_000], ['stop']],
		jobs: [{ status: 'paused' }],
	},
	'starts nothing for equal calls of a tool at the same time whose start is refused': {
		scenario: { ...EQUAL_CALLS, options: { ...PAUSES, maxWaitMinutes: 5 } },
		faults: [{ endpoint: 'startAgent', ...REJECTED }],
		jobs: [],
	},
	'pauses the job of equal calls of a tool at the same time once when their wait fails': {
		scenario: { ...EQUAL_CALLS, options: { ...PAUSES, maxWaitMinutes: 5 } },
		faults: [{ endpoint: 'getJob', ...REJECTED, times: 20 }],
		jobSeconds: 200,
		jobs: [{ status: 'paused', pauses: 1 }],
	},
	'resumes a job whose pause by the earlier run was still on its way': {
		scenario: PAUSES_AND_RETRIES,
		faults: [{ endpoint: 'pauseJob', ...LATE }],
		jobSeconds: 15,
		jobs: [{ status: 'completed', pauses: 1 }],
	},
	'resumes a job whose pause by the earlier run had no response': {
		scenario: PAUSES_AND_RETRIES,
		faults: [
			{ endpoint: 'pauseJob', ...LOST_AFTER },
			{ endpoint: 'pauseJob', kind: 'reset', times: 4 },
		],
		jobSeconds: 15,
		jobs: [{ status: 'completed', pauses: 1 }],
	},
	'pauses a job again when Stop comes while it is being resumed': {
		scenario: PAUSES_AND_RETRIES,
		faults: [{ endpoint: 'resumeJob', ...LATE }],
		steps: [['pass', 15_000], ['stop']],
		jobs: [{ status: 'paused', pauses: 2 }],
	},
	'pauses a job when Stop comes while the run ends because another item has failed': {
		scenario: { tasks: ['task 0', 'task 1'] },
		faults: [{ endpoint: 'startAgent', kind: 'truncate' }],
		steps: [['stop']],
		jobs: [{ status: 'paused' }],
	},
	'pauses a job at a Stop when the service has rejected an earlier pause of it': {
		scenario: {
			options: { ...PAUSES, returnInsteadOfFailing: ['timeout'], maxParallelJobs: 1 },
			tasks: ['task 0', 'task 1'],
		},
		faults: [{ endpoint: 'pauseJob', ...REJECTED }],
		steps: [['pass', 15_000], ['stop']],
		jobs: [{ status: 'paused' }, { status: 'paused' }],
	},
	'ends within a second of a Stop that comes while a job is being paused': {
		scenario: { options: PAUSES },
		faults: [{ endpoint: 'pauseJob', ...LATE }],
		steps: [['pass', 13_000], ['stop']],
		jobs: [{ status: 'paused' }],
	},
	'ends within a second of a Stop that comes while a retry waits to read the status': {
		scenario: PAUSES_AND_RETRIES,
		faults: [{ endpoint: 'getJob', ...RETRY_LATER }],
		jobSeconds: 1,
		steps: [['pass', 30_300], ['stop']],
		jobs: [{ status: 'completed' }],
	},
	'resumes a job in a try after Continue On Fail whose pause had no response': {
		scenario: {
			options: { ...PAUSES, returnInsteadOfFailing: ['timeout'], maxParallelJobs: 1 },
			settings: CONTINUES,
			tasks: ['task 0', 'task 1'],
		},
		faults: [
			{ endpoint: 'startAgent', ...REJECTED },
			{ endpoint: 'pauseJob', ...LOST_AFTER },
			{ endpoint: 'pauseJob', ...RETRY_LATER },
		],
		jobs: [
			{ status: 'paused', pauses: 2 },
			{ status: 'paused', pauses: 1 },
		],
	},
	'pauses a job when Stop comes while a retry has ended the tries to pause it': {
		scenario: PAUSES_AND_RETRIES,
		faults: [
			{ endpoint: 'pauseJob', kind: 'status', status: 307, delaySeconds: 9 },
			{ endpoint: 'getJob', kind: 'status', status: 307 },
			{ endpoint: 'getJob', kind: 'status', status: 429, delaySeconds: 9 },
		],
		steps: [['pass', 15_000], ['stop']],
		jobs: [{ status: 'paused' }],
	},
	"pauses a job at the node's last try when another item fails each try": {
		scenario: { options: PAUSES, settings: RETRIES, tasks: ['task 0', 'task 1'] },
		faults: [
			{ endpoint: 'startAgent', ...REJECTED },
			{ endpoint: 'startAgent', ...REJECTED, skip: 1 },
		],
		jobs: [{ status: 'paused', pauses: 1 }],
	},
	'pauses a job even if the first request for it hangs': {
		scenario: {},
		faults: [{ endpoint: 'pauseJob', kind: 'hang' }],
		steps: [['pass', 1_000], ['stop']],
		jobs: [{ status: 'paused' }],
	},
};

describe('The memory of started jobs, in rare sequences,', () => {
	it.each(Object.entries(CASES))(
		'%s',
		async (_label, { scenario, faults = [], steps = [], jobSeconds, jobs: expected }) => {
			const script: JobScript = { durationSeconds: jobSeconds };
			const { sandbox } = await play([
				{ scenario: { ...SCENARIO, ...scenario }, faults, steps, jobs: [script, script] },
			]);

			const jobs = sandbox.jobs.map((job) => ({
				status: sandbox.statusOf(job),
				pauses: job.pauses,
			}));
			expect(jobs).toMatchObject(expected);
		},
	);
});
