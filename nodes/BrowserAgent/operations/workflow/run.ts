import { toStartedItem } from '../../../output/jobItem';
import { readWorkflowId, workflowIdField } from '../../../parameters/ids';
import { minimumCreditsField, readMinimumCredits } from '../../../parameters/minimumCredits';
import { byName, optionsField, shownWhenWaiting } from '../../../parameters/options';
import { toText } from '../../../parameters/readValue';
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

const DEFAULT_MAX_WAIT_MINUTES = 60;
const STARTED_FIELDS = ['user_id', 'workflow_id', 'conversation_id'];

export const runWorkflow: Operation = {
	parameters: shownFor('workflow', 'run', [
		workflowIdField,
		{
			displayName: 'Payload',
			name: 'payload',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. Download the invoices of March for vendor ACME',
			description:
				"Free text with the values for the workflow's input parameters. Leave it empty for a workflow without any.",
		},
		waitUntilFinishedField,
		simplifyField,
		{
			...optionsField,
			options: byName([...shownWhenWaiting(waitOptionFields), minimumCreditsField]),
		},
	]),

	prepare(context, itemIndex) {
		const workflowId = readWorkflowId(context, itemIndex);
		const payload = toText(context.getNodeParameter('payload', itemIndex, ''));
		const simplify = readSimplify(context, itemIndex);
		const wait = readWaiting(context, itemIndex, DEFAULT_MAX_WAIT_MINUTES);
		const subject = `workflow ${workflowId}`;

		return {
			about: { subject },
			maxParallel: wait && readMaxParallelJobs(context, itemIndex),
			isDurable: wait?.durableWait,
			minimumCredits: readMinimumCredits(context, itemIndex),
			async work(run) {
				const started = await startJob(run, {
					send: async (options) =>
						await run.client.runWorkflow(
							workflowId,
							payload.trim() === '' ? undefined : payload,
							options,
						),
					subject,
					pauseWhenAbandoned: wait?.pauseWhenAbandoned ?? false,
					maxWaitMs: wait?.maxWaitMs,
				});
				if (wait === undefined) {
					return [{ json: toStartedItem(started, { simplify, fields: STARTED_FIELDS }) }];
				}

				const { job_id: jobId, startedAt, body } = started;
				const more = {
					workflow_id: body.workflow_id ?? workflowId,
					conversation_id: body.conversation_id ?? undefined,
				};
				return waitAndFinish(run, { jobId, startedAt }, { wait, simplify, more });
			},
		};
	},
};
