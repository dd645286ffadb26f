import {
	type JobDetails,
	type NodeFailure,
	type PreviousJob,
	addToError,
} from '../errors/NodeFailure';
import { REPOSITORY_URL } from '../package';
import { isAtWork, isPaused, isTakenOver } from './status';
import { idsIn, type TrackedJob } from './TrackedJob';

// What the node has done about its jobs, and what they are doing now. These sentences are added
// where an error leaves the node, since a pause may have changed the jobs in the meantime.

const HOW_TO_CONTINUE = {
	name: 'How to continue',
	url: `${REPOSITORY_URL}/blob/main/docs/what-happens-to-a-running-job.md#how-to-continue`,
};
const GET_OTHERS =
	'Get the other results with Job: Wait; running the workflow again starts all jobs again.';
const PAUSE_CONTINUES = "The node keeps trying for five minutes; n8n's log says how it ended.";
const UNKNOWN_JOB = [404, 410];

/**
 * Adds to an item's error what its job is doing now, and the jobs of its earlier attempts. `jobs`:
 * one for each attempt.
 */
export function addJobToError(error: NodeFailure, jobs: TrackedJob[]): NodeFailure {
	const latest = jobs.at(-1);
	if (latest === undefined) return error;

	const previous = previousJobs(jobs);
	const previousIds = previous.map(({ job_id }) => job_id);
	const job = detailsOf(latest);
	if (previous.length > 0) job.previous_jobs = previous;
	const sentences = [
		describeJob(latest, error),
		listJobs('Earlier failed jobs of this item', previousIds),
	];
	const extended = addSentences(error, sentences, previousIds);
	return Object.keys(job).length === 0 ? extended : extended.with({ job });
}

/** Returns the jobs of an item's attempts before its latest one. */
export function previousJobs(jobs: TrackedJob[]): PreviousJob[] {
	return jobs.slice(0, -1).flatMap(({ record: { job_id, job_error, credits_used } }) => {
		return job_id === undefined ? [] : { job_id, job_error, credits_used };
	});
}

function detailsOf({ record }: TrackedJob): JobDetails {
	const { job_id, status, history_url, live_url, credits_used } = record;
	return job_id === undefined ? {} : { job_id, status, history_url, live_url, credits_used };
}

/** Says what a job that has not ended is doing; '' if there is nothing to say. */
function describeJob(job: TrackedJob, { details }: NodeFailure): string {
	const { state, status = '' } = job.record;
	const { isStopped = false, statusCode = 0, wasJobSeen = false } = details;
	const isOpen = state === 'started' || state === 'unsettled' || state === 'paused';
	const isMissing = !job.exists && UNKNOWN_JOB.includes(statusCode);
	if (!isOpen || isMissing || isStopped) return '';

	if (job.isTrying) {
		return job.hasFailedTry
			? `The job could not be paused so far and may still be running. ${PAUSE_CONTINUES}`
			: 'The job is being paused.';
	}
	if (state === 'paused' || (wasJobSeen && isPaused({ status }))) {
		return 'The job is paused. Unless it is resumed within 6 hours, the service marks it as failed.';
	}
	// The service doesn't say whether such a job uses credits.
	if (wasJobSeen && isTakenOver({ status })) {
		return 'The job has not ended, and may be using credits.';
	}
	return wasJobSeen && isAtWork(status)
		? 'The job keeps running and using credits.'
		: 'The job may still be running and using credits.';
}

/**
 * Adds to the error of a run what its jobs are doing now, except for those that the error names
 * already. `own`: the jobs of the item that has failed, if one has. `isStop`: whether the execution
 * was stopped.
 */
export function addJobsToError(
	error: NodeFailure,
	jobs: TrackedJob[],
	{ own, isStop, isTool }: { own: TrackedJob[]; isStop: boolean; isTool: boolean },
): NodeFailure {
	const named = new Set(error.details.jobIds);
	// Two items may have the same job.
	const idsOf = (some: TrackedJob[]) => [...new Set(idsIn(some))];
	const othersOf = (isWanted: (job: TrackedJob) => boolean) =>
		idsOf(jobs.filter(isWanted)).filter((jobId) => !named.has(jobId));

	const started = idsOf(jobs.filter(({ record }) => record.start !== undefined));
	const hasOthers = !started.every((jobId) => named.has(jobId));
	const paused = othersOf(({ record }) => record.state === 'paused');
	const notPaused = (job: TrackedJob) => isStop && isLeftAlone(job);
	const isWorking = ({ record }: TrackedJob) => isAtWork(record.status);
	// n8n drops the error of a Stop, and who calls a tool can't run the workflow again.
	const isShown = !isStop && !isTool;
	// The error of an unclear start says so itself.
	const unclear = jobs.filter((job) => job.record.state === 'unclear' && !own.includes(job));
	const starting = jobs.filter(({ record }) => record.state === 'starting');

	const sentences = [
		listJobs('Jobs started by this node', hasOthers ? started : []),
		listJobs('Paused', paused),
		listJobs(
			'Being paused',
			othersOf((job) => isBeingPaused(job) && !job.hasFailedTry),
		),
		pausesThatFailed(othersOf((job) => isBeingPaused(job) && job.hasFailedTry)),
		listJobs(
			'Not paused, still using credits',
			othersOf((job) => notPaused(job) && isWorking(job)),
		),
		listJobs(
			'Not paused, may be using credits',
			othersOf((job) => notPaused(job) && !isWorking(job)),
		),
		unclearStarts(unclear.length),
		pendingStarts(starting.length),
		hasOthers && isShown ? GET_OTHERS : '',
	];
	const extended = addSentences(error, sentences, [...started, ...paused]);
	const hasMore = sentences.some((sentence) => sentence !== '');
	if (!hasMore || !isShown) return extended;
	return extended.with({ links: [...(error.details.links ?? []), HOW_TO_CONTINUE] });
}

function isBeingPaused(job: TrackedJob): boolean {
	return job.isTrying && job.record.state !== 'starting';
}

/** Whether the node knows of nothing that keeps the job from running, and does nothing about it. */
function isLeftAlone(job: TrackedJob): boolean {
	const { state, status = '' } = job.record;
	if (job.isTrying) return false;
	return state === 'unsettled' || (state === 'started' && !isPaused({ status }));
}

function addSentences(error: NodeFailure, sentences: string[], jobIds: string[]): NodeFailure {
	const text = sentences.filter((sentence) => sentence !== '').join(' ');
	return addToError(error, text, jobIds);
}

function listJobs(label: string, jobIds: string[]): string {
	return jobIds.length === 0 ? '' : `${label}: ${jobIds.join(', ')}.`;
}

function pausesThatFailed(jobIds: string[]): string {
	if (jobIds.length === 0) return '';
	return `${listJobs('Could not be paused so far and may still be running', jobIds)} ${PAUSE_CONTINUES}`;
}

function unclearStarts(count: number): string {
	if (count === 0) return '';
	if (count === 1) return 'It is unclear whether 1 job was started; it may be running.';
	return `It is unclear whether ${count} jobs were started; they may be running.`;
}

function pendingStarts(count: number): string {
	if (count === 0) return '';
	const requests = count === 1 ? '1 request' : `${count} requests`;
	const jobIds = count === 1 ? "the job's ID" : "the jobs' IDs";
	return `The service has not yet responded to ${requests} to start a job; ${jobIds} will appear in n8n's log.`;
}
