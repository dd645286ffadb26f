import { errorReply } from '../reply';
import type { Job } from '../state/Job';
import type { Operation, OperationInput } from './operation';

/** An operation on the job in the path. Answers 404 if the account has no such job. */
export function onJob(run: (job: Job, input: OperationInput) => ReturnType<Operation>): Operation {
	return (input) => {
		const job = input.state.jobs.get(input.id);
		if (job?.start.account !== input.account) return errorReply(404, 'Job not found');
		return run(job, input);
	};
}
