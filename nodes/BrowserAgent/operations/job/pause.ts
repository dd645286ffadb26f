import { toAnswerItem } from '../../../output/answerItem';
import { jobIdField, readJobId } from '../../../parameters/ids';
import type { Operation } from '../operation';
import { shownFor } from '../shownFor';

export const pauseJob: Operation = {
	parameters: shownFor('job', 'pause', [jobIdField]),

	prepare(context, itemIndex) {
		const jobId = readJobId(context, itemIndex);

		return {
			about: { jobId },
			async work({ client, signal }) {
				return [{ json: toAnswerItem(jobId, await client.pauseJob(jobId, { signal })) }];
			},
		};
	},
};
