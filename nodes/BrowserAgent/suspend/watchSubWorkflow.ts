import type { IRunExecutionData } from 'n8n-workflow';

import { pauseJobs } from '../../jobs/pauseJob';
import { isToBePaused } from '../isToBePaused';
import type { Run } from '../types';

// Errors of our nodes: the sub-workflow has ended by itself.
const NODE_ERRORS = ['NodeApiError', 'NodeOperationError'];

/** Watches the execution that holds the waits while this process lives. Its stop, crash or deletion is a Stop. */
export function watchSubWorkflow(run: Run, executionId: string): void {
	const { context, ledger, logger, watcher } = run;
	watcher.add(async () => {
		const data = await context.getExecutionDataById(executionId);
		// n8n stores no error of an execution that is stopped during a check, which pauses the jobs itself.
		if (!isStopped(data)) return data?.waitTill === undefined;
		const entries = ledger.entries.filter((entry) => isToBePaused(run, entry, true));
		const jobIds = entries.map(({ facts }) => facts.jobId);
		logger.warn(
			`Browser Agent: execution ${executionId}, which waited for jobs, was stopped, so these are paused: ${jobIds.join(', ')}`,
		);
		await pauseJobs(run, entries);
		return true;
	});
}

function isStopped(data: IRunExecutionData | undefined): boolean {
	if (data === undefined) return true;
	const { error } = data.resultData;
	return error !== undefined && !NODE_ERRORS.includes(error.name);
}
