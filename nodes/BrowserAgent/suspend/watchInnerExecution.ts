import { createSafeLogger } from '../../errors/safeLogger';
import type { Access } from '../../jobs/InnerExecutions';
import type { ServiceClient } from '../../service/ServiceClient';
import { shouldPause } from '../shouldPause';
import type { Run } from '../types';
import { jobIdsIn, type SuspendedState } from './state';

/**
 * Watches an inner execution after this run has ended: if it is stopped, crashes or is deleted, the
 * run's jobs are paused, as they would be after a Stop. `executionId`: the inner execution.
 */
export function watchInnerExecution(run: Run, executionId: string): void {
	const entries = run.ledger.entries.filter((entry) => shouldPause(run, entry, 'stopped'));
	const jobIds = entries.map(({ known }) => known.jobId).filter((jobId) => jobId !== undefined);
	// All items have the same credential.
	const client = entries.find(({ owner }) => owner !== undefined)?.owner?.client;
	if (client !== undefined) {
		const access = toAccess(run, client);
		run.innerExecutions.watch(executionId, [...new Set(jobIds)], run.origin, access);
	}
}

/**
 * Records that a round of this inner execution has begun, which proves that the execution wasn't
 * stopped. Forgets the execution if it no longer waits for any job: it is about to end by itself.
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

function toAccess({ context, redact }: Run, client: ServiceClient): Access {
	return {
		client,
		loggerFor: (origin) => createSafeLogger(context.logger, redact, origin),
		readExecution: async (id) => await context.getExecutionDataById(id),
	};
}
