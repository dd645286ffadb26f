import { toResponseItem } from '../../../output/responseItem';
import { readField } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import type { Operation } from '../operation';

export const resumeJobOperation: Operation = {
	option: {
		name: 'Resume',
		value: 'resume',
		action: 'Resume job',
		description: 'Resume a paused job',
	},
	fields: [jobIdField.property],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		return {
			subject: { jobId, action: 'resume' },
			async execute({ run: { signal }, client }) {
				const response = await client.resumeJob(jobId, { signal, retry: true });
				return [{ kind: 'output', json: toResponseItem(jobId, response) }];
			},
		};
	},
};
