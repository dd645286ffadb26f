import { resumeIfPaused } from '../../../jobs/resumeJob';
import { readField } from '../../../parameters/field';
import { jobIdsField } from '../../../parameters/jobIds';
import { optionsField, simplifyField } from '../../../parameters/options';
import { outputFormatFields } from '../../../parameters/outputFormat';
import { readWaitParameters, WAIT_OPTIONS } from '../../../parameters/waiting';
import { beginWait, finishJob } from '../finishJob';
import type { Operation } from '../operation';

const DEFAULT_MAX_WAIT_MINUTES = 60;

export const waitForJob: Operation = {
	option: {
		name: 'Wait',
		value: 'wait',
		action: 'Wait for job',
		description: 'Wait for a job to finish and get its result',
	},
	fields: [
		jobIdsField.property,
		...outputFormatFields,
		simplifyField.property,
		optionsField(WAIT_OPTIONS),
	],

	prepare(context, item) {
		const waiting = readWaitParameters(context, item, DEFAULT_MAX_WAIT_MINUTES);
		return readField(context, item, jobIdsField).map((jobId) => ({
			subject: { jobId },
			jobId,
			// Nothing is started, so a suspension need not be held back until the last wait begins.
			maxParallel: waiting.suspends ? Infinity : waiting.maxParallel,
			waits: true,
			suspends: waiting.suspends,
			policy: { onStop: false, whenAbandoned: waiting.pauseWhenAbandoned },
			parameters: { jobId },
			async run(job) {
				await resumeIfPaused(job);
				return await finishJob(job, beginWait(job, waiting), waiting);
			},
		}));
	},
};
