import { describeServiceError, quoteResponse } from '../errors/describeServiceError';
import { type JobDetails, type PreviousJob, NodeFailure, addToError } from '../errors/NodeFailure';
import { MAX_NAME_CHARACTERS, type PageLink, withFullStop } from '../errors/plainText';
import { factsOf, kindOf, ServiceError } from '../errors/ServiceError';
import { toNodeFailure } from '../errors/toNodeError';
import { REPOSITORY_URL } from '../package';
import type { Redactor } from '../service/redact';
import type { Job } from '../service/types';
import { failureReason, isAtWork, isPaused, isTakenOver } from './status';
import { idsIn, type TrackedJob } from './TrackedJob';
import type { JobWait, Work } from './Work';

const MINUTE_MS = 60_000;
const WHERE_TO_LOOK =
	"Look for the job in the service's web platform, or get its result with Job: Wait.";

/** Creates the error for a job that failed, was canceled or was taken over by a user. */
export function jobFailureError(work: Work, job: Job): NodeFailure {
	const { job_id } = job;
	const reason = failureReason(job, work.client.redactor);
	const suffix = reason === undefined ? '' : `: ${reason}`;
	return new NodeFailure(`Job ${job_id} ${describeEnd(work, job)}${suffix}`, {
		description: adviceFor(job),
		jobIds: [job_id],
		wasJobSeen: true,
		// A browser that was taken over may be handed back.
		isLasting: !isTakenOver(job),
		links: jobLinks(work),
	});
}

function adviceFor(job: Job): string {
	if (isTakenOver(job)) {
		return "To get such jobs as items, choose 'User Takes Over' in the option 'Return Instead of Failing'. To wait until the agent continues, turn on the option 'Wait While Taken Over'.";
	}
	const asItems =
		"To get such jobs as items, choose 'Job Fails or Is Canceled' in the option 'Return Instead of Failing'.";
	if (job.status === 'canceled') return asItems;
	return `Check what the agent did, then change the task or the options. ${asItems}`;
}

function describeEnd(work: Work, job: Job): string {
	if (isTakenOver(job)) return 'was taken over by a user';
	if (job.status === 'canceled') return 'was canceled';
	return job.status === 'failed' ? 'failed' : `ended as '${statusText(work, job.status)}'`;
}

/**
 * Creates the error for a job whose polls were refused for too long, the last one with `error`. A
 * job that may not exist has the words of that error: perhaps the credential is wrong.
 */
export function lastingRefusalError(work: Work, error: unknown): NodeFailure {
	const { job_id: jobId } = work.job.record;
	const described = toNodeFailure(error, { jobId });
	if (!work.job.exists) return described;

	const isUnauthorized = kindOf(error) === 'unauthorized';
	const sentences = [
		withFullStop(quoteResponse(factsOf(error))),
		isUnauthorized ? 'If the API key was replaced, Job: Wait uses the new one.' : '',
		describeLastSeen(work),
		WHERE_TO_LOOK,
	];
	return new NodeFailure(
		`The status of job ${jobId} could not be checked anymore: ${describeAnswer(error, described)}`,
		{ ...described.details, description: joinSentences(sentences), links: jobLinks(work) },
		error,
	);
}

/** Says what the last poll brought, and who responded. */
function describeAnswer(error: unknown, described: NodeFailure): string {
	const { statusCode, isFromService } = factsOf(error);
	if (statusCode === undefined) return reasonIn(described);
	return isFromService === true
		? `HTTP ${statusCode} from the service (${reasonIn(described)})`
		: `HTTP ${statusCode} from something in front of the service`;
}

/** Returns the message of an error as part of a sentence that names job and status already. */
function reasonIn({ message }: NodeFailure): string {
	const unnamed = message.replace(/^Job \S+ was/, 'the job was').replace(/^Job \S+: /, '');
	return lowerFirst(unnamed).replace(/ \(HTTP \d+\)$/, '');
}

/** Lets a sentence follow a colon, unless it begins with an abbreviation. */
export function lowerFirst(text: string): string {
	return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/**
 * Creates the error for a job that was still running at the deadline, or was not seen then.
 * `wasJobSeen`: whether the last look has shown the job. `error`: why its last poll
 * failed, if it did.
 */
export function timedOutError(
	work: Work,
	wait: JobWait,
	{ wasJobSeen, error }: { wasJobSeen: boolean; error?: unknown },
): NodeFailure {
	const limit = wait.isLimitedByWorkflow
		? "'Timeout After' in the workflow's settings"
		: "'Max Wait (Minutes)'";
	const sentences = [
		`Raise ${limit}, or get the result later with Job: Wait.`,
		wasJobSeen ? '' : describeLastSeen(work),
	];
	const reason =
		error instanceof ServiceError
			? `: ${lowerFirst(describeServiceError(error, { label: 'The job' }).message)}`
			: '';
	return new NodeFailure(`${describeTimeout(work, wait, wasJobSeen)}${reason}`, {
		description: joinSentences(sentences),
		jobIds: idsIn([work.job]),
		wasJobSeen,
		links: jobLinks(work),
	});
}

function describeTimeout(work: Work, { beganAt, deadline }: JobWait, wasJobSeen: boolean): string {
	const { job_id: jobId, status = '', seenAt } = work.job.record;
	const minutes = Number(((deadline - beganAt) / MINUTE_MS).toFixed(2));
	const time = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
	if (seenAt === undefined) return `The status of job ${jobId} could not be checked for ${time}`;
	if (!wasJobSeen) {
		return `The status of job ${jobId} could not be checked at the end of ${time}`;
	}
	const state = isTakenOver({ status }) ? 'taken over by a user' : statusText(work, status);
	return `Job ${jobId} was still ${state} after ${time}`;
}

function statusText({ client }: Work, status: string): string {
	return client.redactor.toPlainText(status, MAX_NAME_CHARACTERS);
}

/** Says when the job was last seen, and how; '' if it never was. */
function describeLastSeen(work: Work): string {
	const { status = '', seenAt, start } = work.job.record;
	const now = work.run.clock.now();
	if (seenAt !== undefined) {
		const ago = durationText(now - seenAt);
		return `Its status was last seen ${ago} ago: '${statusText(work, status)}'.`;
	}
	return start === undefined ? '' : `It was started ${durationText(now - start.at)} ago.`;
}

function durationText(ms: number): string {
	const minutes = Math.round(ms / MINUTE_MS);
	if (minutes >= 2) return `${minutes} minutes`;
	const seconds = Math.round(ms / 1000);
	return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

function joinSentences(sentences: string[]): string {
	return sentences.filter((sentence) => sentence !== '').join(' ');
}

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

const WEB_LINK = /^https?:\/\/\S+$/i;

/** Returns links to the pages of an item's job, for an error or a hint. */
export function jobLinks({ client, job: { record } }: Work): PageLink[] {
	return pageLinks(client.redactor, record, record.state === 'ended');
}

/**
 * Returns links to the live view of a job, unless it has ended, and to its history. Leaves out an
 * address that can't be shown as it is, e.g. because it is too long or contains a secret: the link
 * would lead nowhere.
 */
export function pageLinks(
	redactor: Redactor,
	{ live_url, history_url }: Pick<Job, 'live_url' | 'history_url'>,
	hasEnded: boolean,
): PageLink[] {
	const links = [
		{ name: 'Live view', url: hasEnded ? undefined : live_url },
		{ name: 'History', url: history_url },
	];
	return links.flatMap(({ name, url = '' }) => {
		const isSafe = redactor.toPlainText(url) === url;
		return isSafe && WEB_LINK.test(url) ? [{ name, url }] : [];
	});
}
