import type { EndpointName } from '../../dev/sandbox/types';
import { getCreditBalance } from './getCreditBalance';
import { getJob } from './getJob';
import { getJobFiles, pauseJob, resumeJob } from './onJob';
import type { Operation } from './operation';
import { runWorkflow } from './runWorkflow';
import { startAgent } from './startAgent';

/** The operations that need an API key. */
export const operations: Record<Exclude<EndpointName, 'getHealth' | 'file'>, Operation> = {
	startAgent,
	getJob,
	pauseJob,
	resumeJob,
	getJobFiles,
	runWorkflow,
	getCreditBalance,
};
