import { toResponseItem } from '../../../output/responseItem';
import { readField } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import type { Operation } from '../operation';

export const pauseJobOperation: Operation = {
	option: {
		name: 'Pause',
		value: 'pause',
		action: 'Pause job',
		description:
			'Pause a running job. Unless it is resumed within 6 hours, the service marks it as failed.',
	},
	fields: [jobIdField.property],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		return {
			subject: { jobId, action: 'pause' },
			async execute({ run: { signal }, client }) {
				const response = await client.pauseJob(jobId, { signal, retry: true });
				return [{ kind: 'output', json: toResponseItem(jobId, response) }];
			},
		};
	},
};
