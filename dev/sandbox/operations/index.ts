import type { EndpointName } from '../types';
import { getCreditBalance } from './getCreditBalance';
import { getJob } from './getJob';
import { getJobFiles } from './getJobFiles';
import type { Operation } from './operation';
import { pauseJob } from './pauseJob';
import { resumeJob } from './resumeJob';
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
