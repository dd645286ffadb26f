import { toJobItem } from '../../../output/jobItem';
import { jobIdField, readJobId } from '../../../parameters/ids';
import { readSimplify, simplifyField } from '../../../parameters/simplify';
import { READS_AT_ONCE, type Operation } from '../operation';
import { shownFor } from '../shownFor';

export const getJob: Operation = {
	parameters: shownFor('job', 'get', [jobIdField, simplifyField]),

	prepare(context, itemIndex) {
		const jobId = readJobId(context, itemIndex);
		const simplify = readSimplify(context, itemIndex);

		return {
			about: { jobId },
			maxParallel: READS_AT_ONCE,
			async work({ client, signal }) {
				const job = await client.getJob(jobId, { signal, repeat: true });
				return [{ json: toJobItem(job, { simplify }) }];
			},
		};
	},
};
