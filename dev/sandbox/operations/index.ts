import type { EndpointName } from '../types';
import type { Operation } from './operation';
import { getCreditBalance } from './getCreditBalance';
import { getJob, getJobFiles, pauseJob, resumeJob } from './jobs';
import { runWorkflow, startAgent } from './starts';

/** What the endpoints that need a key answer. */
export const operations: Record<Exclude<EndpointName, 'getHealth' | 'file'>, Operation> = {
	startAgent,
	getJob,
	pauseJob,
	resumeJob,
	getJobFiles,
	runWorkflow,
	getCreditBalance,
};
