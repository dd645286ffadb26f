import type { RunBrowserAgentRequest } from '../../../service/types';
import { DEFAULT_MAX_DURATION_MINUTES } from '../../../service/models';
import { toStartedItem } from '../../../output/jobItem';
import { browserFields, readBrowser } from '../../../parameters/browser';
import { minimumCreditsField, readMinimumCredits } from '../../../parameters/minimumCredits';
import { modelFields, readModel } from '../../../parameters/model';
import { byName, optionsField, shownWhenWaiting } from '../../../parameters/options';
import { toRequiredText, toText, type ParameterContext } from '../../../parameters/readValue';
import { readSimplify, simplifyField } from '../../../parameters/simplify';
import {
	readMaxParallelJobs,
	readWaiting,
	waitOptionFields,
	waitUntilFinishedField,
} from '../../../parameters/waiting';
import { startJob } from '../../startJob';
import { waitAndFinish } from '../../waitAndFinish';
import type { Operation } from '../operation';
import { shownFor } from '../shownFor';

// A job that runs as long as it may needs a little longer to be seen as finished.
const WAIT_BEYOND_DURATION_MINUTES = 5;
const STARTED_FIELDS = ['live_url', 'history_url', 'polling_url'];

export const runAgent: Operation = {
	parameters: shownFor('agent', 'run', [
		{
			displayName: 'Directive',
			name: 'directive',
			type: 'string',
			typeOptions: { rows: 4 },
			required: true,
			default: '',
			placeholder: 'e.g. Find the three cheapest flights from Berlin to Rome next Friday',
			description: 'What the agent should do in the browser, in plain words',
		},
		{
			displayName: 'Initial URL',
			name: 'initialUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://www.example.com',
			description: 'The page the browser starts on. If empty, the agent chooses.',
		},
		...modelFields,
		...browserFields,
		waitUntilFinishedField,
		simplifyField,
		{
			...optionsField,
			options: byName([...shownWhenWaiting(waitOptionFields), minimumCreditsField]),
		},
	]),

	prepare(context, itemIndex) {
		const request = readRequest(context, itemIndex);
		const simplify = readSimplify(context, itemIndex);
		const maxDurationMinutes =
			request.browser_config?.max_duration_minutes ?? DEFAULT_MAX_DURATION_MINUTES;
		const wait = readWaiting(context, itemIndex, maxDurationMinutes + WAIT_BEYOND_DURATION_MINUTES);

		return {
			maxParallel: wait && readMaxParallelJobs(context, itemIndex),
			isDurable: wait?.durableWait,
			minimumCredits: readMinimumCredits(context, itemIndex),
			async work(run) {
				const started = await startJob(run, {
					send: async (options) => await run.client.startAgent(request, options),
					pauseWhenAbandoned: wait?.pauseWhenAbandoned ?? false,
					maxWaitMs: wait?.maxWaitMs,
				});
				if (wait === undefined) {
					return [{ json: toStartedItem(started, { simplify, fields: STARTED_FIELDS }) }];
				}

				const { job_id: jobId, startedAt } = started;
				return waitAndFinish(run, { jobId, startedAt }, { wait, simplify });
			},
		};
	},
};

/** What is sent: the directive, and of the rest only what the user set. */
function readRequest(context: ParameterContext, itemIndex: number): RunBrowserAgentRequest {
	const directive = context.getNodeParameter('directive', itemIndex, '');
	const initialUrl = toText(context.getNodeParameter('initialUrl', itemIndex, '')).trim();

	return {
		directive: toRequiredText(directive, 'Directive'),
		...(initialUrl === '' ? {} : { initial_url: initialUrl }),
		action_selection_model: readModel(context, itemIndex),
		...readBrowser(context, itemIndex),
	};
}
