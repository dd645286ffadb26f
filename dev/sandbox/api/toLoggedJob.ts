import type { Job } from '../state/Job';
import type { LoggedJob } from '../types';

/** Converts a job to the admin API's format. */
export function toLoggedJob(job: Job, now: number): LoggedJob {
	const { start } = job;
	return {
		job_id: job.id,
		key: start.account.key,
		user_id: start.account.userId,
		kind: start.kind,
		directive: start.directive,
		workflow_id: start.workflowId,
		inputs: start.inputs,
		model: job.model,
		status: job.status(now),
		isFinished: job.isFinished(now),
		steps: job.steps,
		stepsDone: job.stepsDone,
		creditsUsed: job.creditsUsed,
		startedAt: job.startedAt,
		endedAt: job.endedAt,
		polls: job.polls,
		pauses: job.pauses,
		resumes: job.resumes,
		request: start.request,
	};
}
