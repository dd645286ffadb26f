import fc, { type Arbitrary } from 'fast-check';
import type { INode, INodeParameters } from 'n8n-workflow';

import type { PausePolicy, ReturnCase } from '../../../nodes/jobs/JobTask';

const RETRIES = { retryOnFail: true, waitBetweenTries: 1 };

/** What users choose in a node's settings. */
export const settings: Arbitrary<Partial<INode>> = fc
	.record({
		onError: fc.constantFrom<Array<INode['onError']>>(
			'stopWorkflow',
			'stopWorkflow',
			'stopWorkflow',
			'continueRegularOutput',
			'continueErrorOutput',
		),
		maxTries: fc.constantFrom(1, 2, 2, 3),
	})
	.map(({ onError, maxTries }) =>
		maxTries === 1 ? { onError } : { onError, maxTries, ...RETRIES },
	);

/** The options of a wait. Most pause the job, which makes most of what can be remembered of it. */
export const waitOptions = {
	pauseJob: fc.constantFrom<PausePolicy[]>(
		'onEarlyEnd',
		'onEarlyEnd',
		'onEarlyEnd',
		'onStop',
		'never',
	),
	maxParallelJobs: fc.constantFrom(1, 2, 10),
	maxWaitMinutes: fc.constantFrom(0.2, 0.5),
	returnInsteadOfFailing: fc.subarray<ReturnCase>(['jobFailure', 'takeover', 'timeout']),
	waitWhileTakenOver: fc.constantFrom(false, false, false, true),
	maxAttempts: fc.constantFrom(1, 1, 2, 3),
} satisfies Record<string, Arbitrary<INodeParameters[string]>>;
