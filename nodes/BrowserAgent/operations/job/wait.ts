import { beginWait } from '../../../jobs/JobWait';
import { resumeIfPaused } from '../../../jobs/resumeIfPaused';
import { jobIdsField } from '../../../parameters/ids';
import { readCollection, readField } from '../../../parameters/field';
import { optionsField, simplifyField } from '../../../parameters/options';
import { pausePolicyOption } from '../../../parameters/pausePolicy';
import { outputFormatFields } from '../../../parameters/outputFormat';
import {
	DEFAULT_MAX_WAIT_MINUTES,
	readWaitParameters,
	suspendWhileWaitingField,
	WAIT_OPTIONS,
} from '../../../parameters/waiting';
import { isHighlighted } from '../../highlightJob';
import { waitForItem } from '../finishItem';
import type { Operation } from '../operation';

const PAUSE_OPTION = {
	pauseJob: pausePolicyOption(
		"'On Stop' for a job that this execution started, 'Never' for any other",
	),
};

export const waitForJobOperation: Operation = {
	option: {
		name: 'Wait',
		value: 'wait',
		action: 'Wait for job',
		description: 'Wait for a job to finish and get its result',
	},
	fields: [
		jobIdsField.property,
		...outputFormatFields,
		suspendWhileWaitingField.property,
		simplifyField.property,
		optionsField({ ...WAIT_OPTIONS, ...PAUSE_OPTION }),
	],

	prepare(context, itemIndex) {
		const { waitOptions, itemOptions, suspends, maxParallel } = readWaitParameters(
			context,
			itemIndex,
			DEFAULT_MAX_WAIT_MINUTES,
		);
		const { pauseJob } = readCollection(context, itemIndex, 'options', PAUSE_OPTION);
		return readField(context, itemIndex, jobIdsField).map((jobId) => ({
			subject: { jobId },
			jobId,
			// All waits begin at once if they should be suspended: the run can be suspended only when its
			// last wait has begun. There is nothing to limit, since no job is started.
			maxParallel: suspends ? Infinity : maxParallel,
			waitsForEnd: true,
			suspends,
			// People start a job without waiting, and wait for it here: after a Stop, nobody does.
			pausePolicy: pauseJob ?? (isHighlighted(context, jobId) ? 'onStop' : 'never'),
			hasJob: true,
			async execute(session) {
				await resumeIfPaused(session);
				return await waitForItem(session, beginWait(session, waitOptions), itemOptions);
			},
		}));
	},
};
