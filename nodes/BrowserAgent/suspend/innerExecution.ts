import type { Access } from '../../jobs/InnerExecutions';
import type { ServiceClient } from '../../service/ServiceClient';
import { shouldPause } from '../shouldPause';
import type { Run } from '../types';
import { jobIdsIn, type SuspendedState } from './state';

/**
 * Watches the inner execution: if it is stopped, crashes or is deleted, the jobs of this run are
 * paused as after a Stop.
 */
export function watchInnerExecution(run: Run, executionId: string): void {
	const entries = run.ledger.entries.filter((entry) => shouldPause(run, entry, 'stopped'));
	const jobIds = entries.flatMap(({ known }) => known.jobId ?? []);
	// All items have the same credential.
	const [client] = entries.flatMap(({ owner }) => owner?.client ?? []);
	if (client !== undefined) {
		run.innerExecutions.watch(executionId, [...new Set(jobIds)], toAccess(run, client));
	}
}

/**
 * A round of the inner execution has begun, so it has not been stopped; it ends by itself once
 * nothing is waited for.
 */
export function confirmInnerExecution(
	run: Run,
	state: SuspendedState,
	client: ServiceClient,
): void {
	const executionId = run.context.getExecutionId();
	if (jobIdsIn(state).length === 0) run.innerExecutions.forget(executionId);
	else run.innerExecutions.confirm(executionId, toAccess(run, client));
}

function toAccess({ context, logger }: Run, client: ServiceClient): Access {
	const readExecution = async (id: string) => await context.getExecutionDataById(id);
	return { client, logger, readExecution };
}
