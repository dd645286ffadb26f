import { toAnswerItem } from '../../../output/answerItem';
import { jobIdField, readJobId } from '../../../parameters/ids';
import type { Operation } from '../operation';
import { shownFor } from '../shownFor';

export const resumeJob: Operation = {
	parameters: shownFor('job', 'resume', [jobIdField]),

	prepare(context, itemIndex) {
		const jobId = readJobId(context, itemIndex);

		return {
			about: { jobId },
			async work({ client, signal }) {
				return [{ json: toAnswerItem(jobId, await client.resumeJob(jobId, { signal })) }];
			},
		};
	},
};
