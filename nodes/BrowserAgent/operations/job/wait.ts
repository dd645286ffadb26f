import { jobIdField, readJobId } from '../../../parameters/ids';
import { optionsField } from '../../../parameters/options';
import { readSimplify, simplifyField } from '../../../parameters/simplify';
import {
	readMaxParallelJobs,
	readWaitOptions,
	waitOptionFields,
} from '../../../parameters/waiting';
import { waitAndFinish } from '../../waitAndFinish';
import type { Operation } from '../operation';
import { shownFor } from '../shownFor';

const DEFAULT_MAX_WAIT_MINUTES = 60;

export const waitForJobToFinish: Operation = {
	parameters: shownFor('job', 'wait', [
		jobIdField,
		simplifyField,
		{ ...optionsField, options: waitOptionFields },
	]),

	prepare(context, itemIndex) {
		const job = { jobId: readJobId(context, itemIndex) };
		const simplify = readSimplify(context, itemIndex);
		const wait = readWaitOptions(context, itemIndex, DEFAULT_MAX_WAIT_MINUTES);

		return {
			about: job,
			maxParallel: readMaxParallelJobs(context, itemIndex),
			isDurable: wait.durableWait,
			work: (run) => waitAndFinish(run, job, { wait, simplify }),
		};
	},
};
