import type { Job } from '../state/Job';

/** A job as the admin API shows it. Times are sandbox time in ms since 1970. */
export type LoggedJob = ReturnType<typeof toLoggedJob>;

/** Converts a job to the admin API's format. */
export function toLoggedJob(job: Job, now: number) {
	const { account, kind, directive, workflowId, inputs, request } = job.start;
	const { model, steps, startedAt } = job;
	const { stepsDone, creditsUsed, endedAt, polls, pauses, resumes } = job.progress;
	return {
		job_id: job.id,
		/** The API key that started the job. */
		key: account.key,
		user_id: account.userId,
		kind,
		/** For a workflow, its task with the inputs filled in. */
		directive,
		workflow_id: workflowId,
		/** The workflow inputs that the payload was mapped onto. */
		inputs,
		model,
		status: job.status(now),
		isFinished: job.isFinished(now),
		steps,
		stepsDone,
		creditsUsed,
		startedAt,
		endedAt,
		polls,
		pauses,
		resumes,
		/** The body of the start request, without default values. */
		request,
	};
}
