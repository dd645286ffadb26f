import { toAnswerItem } from '../../../output/answerItem';
import { readField } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import type { Operation } from '../operation';

export const pauseJob: Operation = {
	option: {
		name: 'Pause',
		value: 'pause',
		action: 'Pause job',
		description: 'Stop a running job for up to 6 hours; after that the service fails it',
	},
	fields: [jobIdField.shown],

	prepare(context, item) {
		const jobId = readField(context, item, jobIdField);
		return {
			subject: { jobId },
			async run({ client, signal }) {
				return [{ json: toAnswerItem(jobId, await client.pauseJob(jobId, { signal })) }];
			},
		};
	},
};
