import type { IDataObject } from 'n8n-workflow';

import type { NodeFailure } from '../errors/NodeFailure';
import { REPOSITORY_URL } from '../package';
import { omitUndefined } from './item';
import { isAtWork, isPaused, isTakenOver } from './status';
import { idsIn, type JobRecord, type TrackedJob } from './TrackedJob';

// What the node has done about its jobs, and what they are doing now. These sentences are added
// where an error leaves the node, since a pause may have changed the jobs in the meantime.

const HOW_TO_CONTINUE = {
	'How to continue': `${REPOSITORY_URL}/blob/main/docs/what-happens-to-a-running-job.md#how-to-continue`,
};
const GET_OTHERS =
	'Get the other results with Job: Wait; running the workflow again starts all jobs again.';
const PAUSE_CONTINUES = "The node keeps trying for five minutes; n8n's log says how it ended.";
const UNKNOWN_JOB = [404, 410];

const IS_PAUSED =
	'The job is paused. Unless it is resumed within 6 hours, the service marks it as failed.';
const MAY_BE_RUNNING = 'The job may still be running and using credits.';
const STILL_USING = 'Not paused, still using credits';
const MAY_BE_USING = 'Not paused, may be using credits';

/**
 * What becomes of a job that has not ended, as far as the node knows, and the words for it: of a
 * single job, and as the label of a list of jobs. Those that were not paused are listed only after
 * a Stop.
 */
const FATES = {
	/** The node is pausing it. */
	beingPaused: { sentence: 'The job is being paused.', label: 'Being paused' },
	/** The node is pausing it, and a try has failed. */
	notYetPaused: {
		sentence: `The job could not be paused so far and may still be running. ${PAUSE_CONTINUES}`,
		label: 'Could not be paused so far and may still be running',
	},
	/** The node has paused it. */
	paused: { sentence: IS_PAUSED, label: 'Paused' },
	/** It was last seen paused by somebody else. */
	seenPaused: { sentence: IS_PAUSED, label: undefined, mayHaveChanged: true },
	/** It was last seen taken over. The service doesn't say whether such a job uses credits. */
	seenTakenOver: {
		sentence: 'The job has not ended, and may be using credits.',
		label: MAY_BE_USING,
		mayHaveChanged: true,
	},
	/** It was last seen at work. */
	seenAtWork: {
		sentence: 'The job keeps running and using credits.',
		label: STILL_USING,
		mayHaveChanged: true,
	},
	/** It may be doing anything. */
	unknown: { sentence: MAY_BE_RUNNING, label: MAY_BE_USING },
};

/** Returns what becomes of a job. Undefined if it has ended, or may not exist. */
function fateOf(
	job: TrackedJob,
): { sentence: string; label?: string; mayHaveChanged?: boolean } | undefined {
	const { state, status = '' } = job.record;
	const isThere = state === 'started' || state === 'unsettled' || state === 'paused';
	if (!isThere) return undefined;
	if (job.isPausing) return job.hasFailedTry ? FATES.notYetPaused : FATES.beingPaused;
	if (state === 'paused') return FATES.paused;
	if (state === 'started' && isPaused({ status })) return FATES.seenPaused;
	if (isTakenOver({ status })) return FATES.seenTakenOver;
	return isAtWork(status) ? FATES.seenAtWork : FATES.unknown;
}

/** Says what a job that has not ended is doing; '' if there is nothing to say. */
function describeFate(job: TrackedJob, { details }: NodeFailure): string {
	const { isStopped = false, statusCode = 0, wasJobSeen = false } = details;
	const fate = fateOf(job);
	const isMissing = !job.exists && UNKNOWN_JOB.includes(statusCode);
	if (fate === undefined || isMissing || isStopped) return '';
	return fate.mayHaveChanged === true && !wasJobSeen ? MAY_BE_RUNNING : fate.sentence;
}

/**
 * Adds to an item's error what its job is doing now, and the jobs of its earlier attempts. `jobs`:
 * one for each attempt.
 */
export function addJobToError(error: NodeFailure, jobs: TrackedJob[]): NodeFailure {
	const latest = jobs.at(-1);
	if (latest === undefined) return error;

	const previousIds = idsIn(jobs.slice(0, -1));
	const sentences = [
		describeFate(latest, error),
		listJobs('Earlier failed jobs of this item', previousIds),
	];
	return error.withMore(sentences, previousIds);
}

/** Returns the jobs of an item's attempts before its latest one, as items show them. */
export function previousJobs(jobs: TrackedJob[]) {
	return jobs.slice(0, -1).flatMap(({ record: { job_id, job_error, credits_used } }) => {
		return job_id === undefined ? [] : omitUndefined({ job_id, job_error, credits_used });
	});
}

/**
 * Returns what a failed item shows of its jobs, the latest one and those before it; undefined if it
 * has none with an ID. `toSafe` makes a status safe to show.
 */
export function shownJobs(
	jobs: TrackedJob[],
	toSafe: (status: string) => string,
): IDataObject | undefined {
	const { job_id, status, history_url, live_url, credits_used } = jobs.at(-1)?.record ?? {};
	const previous = previousJobs(jobs);
	const previous_jobs = previous.length > 0 ? previous : undefined;
	if (job_id === undefined) return previous_jobs && { previous_jobs };
	const safeStatus = status === undefined ? undefined : toSafe(status);
	return { job_id, status: safeStatus, history_url, live_url, credits_used, previous_jobs };
}

/** Returns a word for what was last seen of a job. */
export function lastSeen({ status = '', seenAt, start }: JobRecord): string {
	if (seenAt !== undefined) return status;
	return start === undefined ? 'unknown' : 'started';
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
	const listOf = (label: string) =>
		listJobs(
			label,
			othersOf((job) => fateOf(job)?.label === label),
		);
	const notYetPaused = listOf(FATES.notYetPaused.label);
	// n8n drops the error of a Stop, and who calls a tool can't run the workflow again.
	const isShown = !isStop && !isTool;
	// The error of an unclear start says so itself.
	const unclear = jobs.filter((job) => job.record.state === 'unclear' && !own.includes(job));
	const starting = jobs.filter(({ record }) => record.state === 'starting');

	const sentences = [
		listJobs('Jobs started by this node', hasOthers ? started : []),
		listOf(FATES.paused.label),
		listOf(FATES.beingPaused.label),
		notYetPaused === '' ? '' : `${notYetPaused} ${PAUSE_CONTINUES}`,
		isStop ? listOf(STILL_USING) : '',
		isStop ? listOf(MAY_BE_USING) : '',
		unclearStarts(unclear.length),
		pendingStarts(starting.length),
		hasOthers && isShown ? GET_OTHERS : '',
	];
	const paused = othersOf((job) => job.record.state === 'paused');
	const extended = error.withMore(sentences, [...started, ...paused]);
	const hasMore = sentences.some((sentence) => sentence !== '');
	if (!hasMore || !isShown) return extended;
	return extended.with({ links: { ...error.details.links, ...HOW_TO_CONTINUE } });
}

function listJobs(label: string, jobIds: string[]): string {
	return jobIds.length === 0 ? '' : `${label}: ${jobIds.join(', ')}.`;
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
