import type { Job } from '../state/Job';
import type { OperationInput } from './operation';

/** Finds the job in the path. Jobs of other accounts are treated as missing. */
export function findJob({ state, account, id }: OperationInput): Job | undefined {
	const job = state.jobs.get(id);
	return job?.start.account === account ? job : undefined;
}
