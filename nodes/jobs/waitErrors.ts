import { NodeFailure } from '../errors/NodeFailure';
import { lowerFirst, MAX_NAME_CHARACTERS, withFullStop } from '../errors/plainText';
import { factsOf, ServiceError } from '../errors/ServiceError';
import { quoteResponse } from '../errors/serviceErrorKinds';
import { toNodeFailure } from '../errors/toNodeFailure';
import type { Job } from '../service/types';
import { jobLinks } from './links';
import { failureReason, isTakenOver } from './status';
import { idsIn } from './TrackedJob';
import type { JobWait, Work } from './Work';

const MINUTE_MS = 60_000;
const WHERE_TO_LOOK =
	"Look for the job in the service's list of jobs, or get its result with Job: Wait.";

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
export function refusedTooLongError(work: Work, error: unknown): NodeFailure {
	const { job_id: jobId } = work.job.record;
	const described = toNodeFailure(error, { jobId });
	if (!work.job.exists) return described;

	const isUnauthorized = error instanceof ServiceError && error.isOwnUnauthorized;
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

/** Says what the latest poll returned, and who responded. */
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

/**
 * Creates the error for a job that was still running at the deadline, or was not seen then.
 * `wasJobSeen`: whether the latest poll has shown the job. `error`: why it failed, if it
 * did.
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
			? `: ${lowerFirst(toNodeFailure(error, { label: 'The job' }).message)}`
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
