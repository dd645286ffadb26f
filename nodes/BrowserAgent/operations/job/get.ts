import { pageLinks } from '../../../jobs/fate';
import { hasFinalStatus } from '../../../jobs/status';
import { toJobItem } from '../../../output/jobItem';
import { readField } from '../../../parameters/field';
import { jobIdField } from '../../../parameters/ids';
import { simplifyField } from '../../../parameters/options';
import { MAX_CONCURRENT_READS, type Operation } from '../operation';

export const getJobOperation: Operation = {
	option: {
		name: 'Get Status',
		value: 'get',
		action: 'Get job status',
		description: 'Get the current status of a job',
	},
	fields: [jobIdField.property, simplifyField.property],

	prepare(context, itemIndex) {
		const jobId = readField(context, itemIndex, jobIdField);
		const simplify = readField(context, itemIndex, simplifyField);
		return {
			subject: { jobId },
			maxParallel: MAX_CONCURRENT_READS,
			async execute({ run, client }) {
				const { executionId, signal } = run;
				const job = await client.getJob(jobId, { group: executionId, signal, retry: true });
				const json = toJobItem(job, { simplify });
				const links = pageLinks(client.redactor, job, hasFinalStatus(job));
				return [{ kind: 'output', json, links }];
			},
		};
	},
};
