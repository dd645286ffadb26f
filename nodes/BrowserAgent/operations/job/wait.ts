import { resumeIfPaused } from '../../../jobs/resumeJob';
import { readCollection, readField, type ParameterContext } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import { jobIdsOption } from '../../../parameters/jobIds';
import { optionsField, simplifyField } from '../../../parameters/options';
import { outputFormatFields } from '../../../parameters/outputFormat';
import { readWaitParameters, WAIT_OPTIONS } from '../../../parameters/waiting';
import { beginWait, finishJob } from '../finishJob';
import type { Operation } from '../operation';

const DEFAULT_MAX_WAIT_MINUTES = 60;
const OWN_OPTIONS = { jobIds: jobIdsOption };

export const waitForJob: Operation = {
	option: {
		name: 'Wait',
		value: 'wait',
		action: 'Wait for a job',
		description: 'Wait for a job to finish and get its result',
	},
	// Not `required`: with 'Job IDs' it may be empty.
	fields: [
		{ ...jobIdField.shown, required: undefined },
		...outputFormatFields,
		simplifyField.shown,
		optionsField({ ...WAIT_OPTIONS, ...OWN_OPTIONS }),
	],

	prepare(context, item) {
		const simplify = readField(context, item, simplifyField);
		const waiting = readWaitParameters(context, item, DEFAULT_MAX_WAIT_MINUTES);
		return readJobIds(context, item).map((jobId) => ({
			subject: { jobId },
			jobId,
			// Nothing is started, so a suspension need not be held back until the last wait begins.
			maxParallel: waiting.suspends ? Infinity : waiting.maxParallel,
			suspends: waiting.suspends,
			stopBelowCredits: waiting.stopBelowCredits,
			policy: { onStop: false, whenAbandoned: waiting.pauseWhenAbandoned },
			parameters: { jobId },
			async run(job) {
				await resumeIfPaused(job);
				const options = { ...waiting, simplify };
				return await finishJob(job, beginWait(job, options), options);
			},
		}));
	},
};

function readJobIds(context: ParameterContext, item: number): string[] {
	const { jobIds = [] } = readCollection(context, item, 'options', OWN_OPTIONS);
	return jobIds.length > 0 ? jobIds : [readField(context, item, jobIdField)];
}
