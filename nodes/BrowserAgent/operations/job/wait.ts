import { resumeIfPaused } from '../../../jobs/startJob';
import { readField } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import { optionsField, simplifyField } from '../../../parameters/options';
import { readWaitParameters, WAIT_OPTIONS } from '../../../parameters/waiting';
import { finishJob } from '../finishJob';
import type { Operation } from '../operation';

const DEFAULT_MAX_WAIT_MINUTES = 60;

export const waitForJob: Operation = {
	option: {
		name: 'Wait',
		value: 'wait',
		action: 'Wait for a job',
		description: 'Wait for a job to finish and get its result',
	},
	fields: [jobIdField.shown, simplifyField.shown, optionsField(WAIT_OPTIONS)],

	prepare(context, item) {
		const jobId = readField(context, item, jobIdField);
		const simplify = readField(context, item, simplifyField);
		const waiting = readWaitParameters(context, item, DEFAULT_MAX_WAIT_MINUTES);
		return {
			subject: { jobId },
			maxParallel: waiting.maxParallel,
			suspends: waiting.suspends,
			stopBelowCredits: waiting.stopBelowCredits,
			policy: { onStop: false, whenAbandoned: waiting.pauseWhenAbandoned },
			parameters: { jobId },
			async run(itemRun) {
				itemRun.entry.watch(jobId);
				await resumeIfPaused(itemRun);
				return await finishJob(itemRun, { jobId }, { ...waiting, simplify });
			},
		};
	},
};
