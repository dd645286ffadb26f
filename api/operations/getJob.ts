import { onJob } from './onJob';

/** Counts as a poll of the job. */
export const getJob = onJob((job, { now, account, url }) => ({
	status: 200,
	json: {
		job_id: job.id,
		user_id: account.userId,
		status: job.poll(now),
		directive: job.directive,
		...job.links(url),
		credits_used: job.creditsUsed,
		credit_balance: account.credits,
		created_at: new Date(job.startedAt).toISOString(),
		updated_at: new Date(job.updatedAt).toISOString(),
		output: job.output(now),
		error: job.error(now),
	},
}));
