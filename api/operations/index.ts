import type { EndpointName } from '../endpoints';
import type { RateLimitName } from '../RateLimiters';
import { getCreditBalance } from './getCreditBalance';
import { getJob } from './getJob';
import { getJobFiles, pauseJob, resumeJob } from './onJob';
import type { Operation } from './operation';
import { runWorkflow } from './runWorkflow';
import { startAgent } from './startAgent';

interface Endpoint {
	run: Operation;
	/** The rate limit that the calls count for. */
	limit?: RateLimitName;
}

/** The operations that need an API key. */
export const operations: Record<Exclude<EndpointName, 'getHealth' | 'file'>, Endpoint> = {
	startAgent: { run: startAgent, limit: 'starts' },
	getJob: { run: getJob, limit: 'polls' },
	pauseJob: { run: pauseJob },
	resumeJob: { run: resumeJob },
	getJobFiles: { run: getJobFiles },
	runWorkflow: { run: runWorkflow, limit: 'starts' },
	getCreditBalance: { run: getCreditBalance, limit: 'balances' },
};
