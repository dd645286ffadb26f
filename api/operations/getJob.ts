import { answer } from '../../dev/sandbox/answers/answer';
import { jobLinks } from '../../dev/sandbox/answers/jobLinks';
import { onJob } from './onJob';

/** Counts as a poll of the job. */
export const getJob = onJob((job, { now, account, url }) => {
	const status = job.poll(now);
	const body: Record<string, unknown> = {
		job_id: job.id,
		user_id: account.userId,
		status,
		directive: job.start.directive,
		...jobLinks(job, url),
		credits_used: job.progress.creditsUsed,
		credit_balance: account.credits,
		created_at: new Date(job.startedAt).toISOString(),
		updated_at: new Date(job.progress.updatedAt).toISOString(),
		output: job.output(now, () => answer(job)),
		error: job.error(now),
	};
	const { omitFields = [], nullFields = [] } = job.start.script;
	for (const field of nullFields) body[field] = null;
	for (const field of omitFields) delete body[field];
	return { status: 200, json: body };
});
