import fc from 'fast-check';
import type { INode } from 'n8n-workflow';

import type { Fault, JobScript } from '../../../dev/sandbox/types';
import type { PausePolicy } from '../../../nodes/jobs/LedgerEntry';
import { isTool, type Play, type Scenario, type Step } from './LedgerSystem';

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
		tries: fc.constantFrom(1, 2, 2, 3),
		onError: fc.constantFrom<Array<INode['onError']>>(
			'stopWorkflow',
			'stopWorkflow',
			'stopWorkflow',
			'continueRegularOutput',
			'continueErrorOutput',
		),
		options: fc.record({
			pauseJob: fc.constantFrom<PausePolicy[]>('always', 'always', 'always', 'onStop', 'never'),
			maxParallelJobs: fc.constantFrom(1, 2, 10),
			maxWaitMinutes: fc.constantFrom(0.2, 0.5),
			onTimeout: fc.constantFrom('fail', 'fail', 'return'),
			onJobFailure: fc.constantFrom('fail', 'return'),
			onPaused: fc.constantFrom('wait', 'return'),
			onTakenOver: fc.constantFrom('fail', 'fail', 'wait', 'return'),
			maxAttempts: fc.constantFrom(1, 1, 2, 3),
		}),
	})
	.map(({ form, count, areEqual, tries, onError, ...one }) => {
		const retries = { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 };
		return {
			...one,
			form,
			tasks: Array.from(
				{ length: count },
				(_, index) => `task ${isTool(form) && areEqual ? 0 : index}`,
			),
			settings: {
				// n8n shows no error output for a tool.
				onError: isTool(form) && onError === 'continueErrorOutput' ? 'stopWorkflow' : onError,
				...(tries === 1 ? {} : retries),
			},
		};
	});

const endpoint = fc.constantFrom<Array<Fault['endpoint']>>(
	'startAgent',
	'getJob',
	'pauseJob',
	'resumeJob',
);

const when = fc.constantFrom<Array<'before' | 'after'>>('before', 'after');

const failure: fc.Arbitrary<Omit<Fault, 'endpoint'>> = fc.oneof(
	fc.constant({ kind: 'delay' as const }),
	fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(500, 503), when }),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(307, 400, 401, 402, 404, 422),
	}),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constant(429),
		headers: fc.constantFrom<Array<Record<string, string>>>(
			{},
			{ 'retry-after': '1' },
			{ 'retry-after': '90' },
		),
	}),
	fc.record({
		kind: fc.constantFrom('reset' as const, 'truncate' as const, 'hang' as const),
		when,
	}),
	fc.record({ kind: fc.constant('refuse' as const) }),
	fc.record({
		kind: fc.constant('body' as const),
		body: fc.constant({ status: 'error', message: 'Not now' }),
		when,
	}),
	fc.record({
		kind: fc.constant('body' as const),
		body: fc.constantFrom<unknown[]>('<html>Gateway</html>', {}, '', { job_id: '../x' }),
		when: fc.constant('after' as const),
	}),
);

const fault: fc.Arbitrary<Fault> = fc
	.tuple(endpoint, fc.constantFrom(0, 0.02, 0.5, 3, 9, 40), failure)
	.map(([place, delaySeconds, what]) => ({ endpoint: place, delaySeconds, ...what }));

const job: fc.Arbitrary<JobScript> = fc.record({
	durationSeconds: fc.constantFrom(1, 15, 60, 3_600),
	outcome: fc.constantFrom('completed', 'failed', 'failed', 'canceled', 'user_taken_over'),
	output: fc.constant('Done'),
});

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
export const plays: fc.Arbitrary<Play[]> = fc.array(
	fc.record({
		scenario,
		faults: fc.array(fault, { maxLength: 8 }),
		jobs: fc.array(job, { maxLength: 4 }),
		steps: fc.array(step, { maxLength: 8 }),
	}),
	{ minLength: 1, maxLength: 2 },
);
