import type { JobStatus } from '../jobs/JobRecord';

/** What the pages say about a job's status. */
export const STATUS_WORDS: Record<JobStatus, string> = {
	provisioning: 'The browser is starting.',
	running: 'The agent is working.',
	paused: 'The job is paused. It fails if nobody resumes it within 6 hours.',
	user_taken_over: 'A person has taken over the browser. The agent waits until it is handed back.',
	completed: 'The job has completed.',
	failed: 'The job has failed.',
};
