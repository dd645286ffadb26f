import { type Answer, problem } from '../reply';
import { defaultOutput } from './defaultOutput';
import { document } from '../document';
import type { Job } from '../state/Job';
import type { Call, Operation } from './operation';
import { jobLinks } from './jobLinks';

const documentedStatuses = new Set(document.components.schemas.JobRunStatus.enum);

export const getJob: Operation = (call) => {
	const job = findJob(call);
	if (!job) return jobNotFound;
	const { now, account, url } = call;
	const status = job.look(now);
	const answer: Record<string, unknown> = {
		job_id: job.id,
		user_id: account.userId,
		status,
		directive: job.start.directive,
		...jobLinks(job, url),
		credits_used: job.creditsUsed,
		credit_balance: account.credits,
		created_at: new Date(job.startedAt).toISOString(),
		updated_at: new Date(job.updatedAt).toISOString(),
		output: job.output(now, () => defaultOutput(job.start)),
		error: job.error(now),
	};
	const { omitFields = [], nullFields = [] } = job.start.script;
	for (const field of nullFields) answer[field] = null;
	for (const field of omitFields) delete answer[field];
	const isUnchecked =
		!documentedStatuses.has(status) || omitFields.length > 0 || nullFields.length > 0;
	return { status: 200, json: answer, isUnchecked };
};

export const pauseJob: Operation = (call) => {
	const job = findJob(call);
	if (!job) return jobNotFound;
	if (!job.pause(call.now)) return problem(400, 'Only a running job can be paused');
	call.world.counting.counters.pauses++;
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is paused` } };
};

export const resumeJob: Operation = (call) => {
	const job = findJob(call);
	if (!job) return jobNotFound;
	if (!job.resume(call.now)) return problem(400, 'Only a paused job can be resumed');
	call.world.counting.counters.resumes++;
	const data = { job_id: job.id, status: job.status(call.now) };
	return { status: 200, json: { status: 'success', message: `Job ${job.id} is resumed`, data } };
};

export const getJobFiles: Operation = (call) => {
	const job = findJob(call);
	if (!job) return jobNotFound;
	const { world, now, filesUrl } = call;
	const files = job.isFinished(now) ? world.links.list(job, filesUrl, now) : [];
	return { status: 200, json: { job_id: job.id, file_count: files.length, files } };
};

const jobNotFound: Answer = problem(404, 'Job not found');

/** A job of another account is as good as none. */
function findJob({ world, account, id }: Call): Job | undefined {
	const job = world.jobs.get(id);
	return job?.start.account === account ? job : undefined;
}
