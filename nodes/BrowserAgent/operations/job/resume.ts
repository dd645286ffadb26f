import { UserError } from '../../../errors/UserError';
import { toResponseItem } from '../../../output/responseItem';
import { readField } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import type { Operation } from '../operation';

export const resumeJob: Operation = {
	option: {
		name: 'Resume',
		value: 'resume',
		action: 'Resume job',
		description: 'Resume a paused job',
	},
	fields: [jobIdField.property],

	prepare(context, item) {
		const jobId = readField(context, item, jobIdField);
		return {
			subject: { jobId },
			async run({ client, signal }) {
				const response = await client.resumeJob(jobId, { signal });
				const { status, message } = (response ?? {}) as { status?: unknown; message?: unknown };
				if (status !== 'error') return [{ json: toResponseItem(jobId, response) }];
				// The service's generic response can be an error in itself.
				const reason =
					typeof message === 'string' ? `: ${client.redactor.toPlainText(message)}` : '';
				throw new UserError(`Job ${jobId} could not be resumed${reason}`, {
					description: "Check the job's status with Job: Get Status.",
					jobIds: [jobId],
				});
			},
		};
	},
};
