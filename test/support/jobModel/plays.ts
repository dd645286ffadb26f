import fc from 'fast-check';

import { failure, type Failure } from '../../../dev/fuzz/arbitraries/faults';
import { jobWith } from '../../../dev/fuzz/arbitraries/jobs';
import { settings, waitOptions } from '../../../dev/fuzz/arbitraries/runs';
import type { Fault } from '../../../dev/sandbox/types';
import { isTool, type Play, type Scenario, type Step } from './ModelSystem';

const scenario: fc.Arbitrary<Scenario> = fc
	.record({
		form: fc.constantFrom<Scenario['form'][]>(
			'agent',
			'agent',
			'agent',
			'jobs',
			'called by the agent',
			'run by the engine',
		),
		count: fc.integer({ min: 1, max: 3 }),
		areEqual: fc.boolean(),
		areAtOnce: fc.boolean(),
		waits: fc.constantFrom(true, true, true, true, false),
		execution: fc.constantFrom<Array<Scenario['execution']>>('new', 'none', 'same'),
		settings,
		options: fc.record({ ...waitOptions, downloadFiles: fc.constantFrom(false, false, true) }),
		// Time passes inside a run, too.
		credentialMs: fc.constantFrom(0, 0, 120, 3_000, 31_000),
		fileMs: fc.constantFrom(0, 0, 20_000, 50_000),
	})
	.map(({ form, count, areEqual, execution, settings: { onError, ...retries }, ...more }) => ({
		...more,
		form,
		// A tool that fails for good is remembered for 30 seconds only.
		credentialMs: Math.min(more.credentialMs, isTool(form) ? 3_000 : Infinity),
		// Only tools are called in the same execution again, or without one.
		execution: isTool(form) ? execution : ('new' as const),
		tasks: Array.from(
			{ length: count },
			(_, index) => `task ${isTool(form) && areEqual ? 0 : index}`,
		),
		settings: {
			// n8n shows no error output for a tool.
			onError: isTool(form) && onError === 'continueErrorOutput' ? 'stopWorkflow' : onError,
			...retries,
		},
	}));

const endpoint = fc.constantFrom<Array<Fault['endpoint']>>(
	'startAgent',
	'getJob',
	'pauseJob',
	'resumeJob',
);

// The fuzzer's failures, and two that it leaves out: delays take it too long, and no server can
// refuse a connection.
const anyFailure = fc.oneof(
	{ weight: 6, arbitrary: failure },
	{ weight: 1, arbitrary: fc.constant<Failure>({ kind: 'delay' }) },
	{ weight: 1, arbitrary: fc.constant<Failure>({ kind: 'refuse' }) },
);

const fault: fc.Arbitrary<Fault> = fc
	.tuple(endpoint, fc.constantFrom(0, 0.02, 0.5, 3, 9, 40), anyFailure)
	.map(([place, delaySeconds, what]) => ({ endpoint: place, delaySeconds, ...what }));

const job = jobWith(fc.constant('Done')).map((script) => ({
	...script,
	files: [{ filename: 'a.txt', content: 'a' }],
}));

const jobIndex = fc.integer({ min: 0, max: 3 });

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.tuple(
			fc.constant('pass' as const),
			fc.constantFrom(5, 100, 1_000, 6_000, 15_000, 61_000),
		),
	},
	fc.tuple(fc.constantFrom('pause' as const, 'resume' as const, 'takeOver' as const), jobIndex),
	fc.constant<Step>(['stop']),
	fc.constant<Step>(['kill']),
);

/** Everything that can happen, in any order. */
export const plays: fc.Arbitrary<Play[]> = fc
	.array(
		fc.record({
			scenario,
			faults: fc.array(fault, { maxLength: 8 }),
			jobs: fc.array(job, { maxLength: 4 }),
			steps: fc.array(step, { maxLength: 8 }),
		}),
		{ minLength: 1, maxLength: 3 },
	)
	.map(withSameCalls);

/** Calls that go on in the last execution are those of the last one. */
function withSameCalls(all: Play[]): Play[] {
	const plays: Play[] = [];
	for (const play of all) {
		const { execution } = play.scenario;
		const last = plays.at(-1)?.scenario;
		const isSame = execution === 'same' && last !== undefined && isTool(last.form);
		const scenario: Scenario = isSame
			? { ...last, execution: 'same' }
			: { ...play.scenario, execution: execution === 'same' ? 'new' : execution };
		plays.push({ ...play, scenario });
	}
	return plays;
}
