import type { Clock } from '../../nodes/async/clock';
import { type JobRecord, TrackedJob } from '../../nodes/jobs/TrackedJob';
import type { JobRun, Work } from '../../nodes/jobs/Work';
import type { ServiceClient } from '../../nodes/service/ServiceClient';
import { loggerTo } from './loggerTo';

/** What a test or a simulation chooses of a `Work`. */
export interface WorkParts extends Partial<Omit<JobRun, 'clock'>>, Partial<Pick<Work, 'pauseJob'>> {
	clock: Clock;
	client: ServiceClient;
	/** The job, or what is known of it. Default: nothing. */
	job?: TrackedJob | JobRecord;
}

/** Creates the work with one job, outside of any run of the node. */
export function createWork({ clock, client, job, pauseJob = 'never', ...run }: WorkParts): Work {
	const tracked = job instanceof TrackedJob ? job : new TrackedJob(clock, job);
	return {
		run: {
			clock,
			logger: loggerTo(() => {}),
			executionId: '1',
			isTool: false,
			signal: new AbortController().signal,
			timeZone: 'UTC',
			showHint: () => {},
			storeFile: async () => ({ data: '', mimeType: 'text/plain' }),
			onStarted: () => {},
			isRetryCertain: () => false,
			refusedStarts: new Map(),
			reportedClosings: new Map(),
			waitsInProgress: new Set(),
			...run,
		},
		client,
		pauseJob,
		jobs: [tracked],
		job: tracked,
	};
}
