import type { Logger } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import type { Redactor } from '../service/redact';
import type { Job } from '../service/types';
import { jobDurationMs, toSeconds } from './jobDuration';

/** A job that has ended or was taken over. */
export interface FinishedJob {
	job: Job;
	/** When its end was seen: a timestamp in ms, from `Clock.now()`. */
	seenAt: number;
	/** When this node started it. If unset, it was started elsewhere. */
	startedAt?: number;
}

/**
 * Logs that a job has finished, with its status and, as far as they are known, its duration and
 * its credits. `nodeType`: the name that the message begins with. `redactor`: that of the job's
 * client, since a status may be cut, and half a secret would not be found.
 */
export function logFinished(
	logger: Logger,
	nodeType: 'Browser Agent' | 'Browser Agent Trigger',
	redactor: Redactor,
	{ job, seenAt, startedAt }: FinishedJob,
): void {
	const { job_id: jobId, credits_used: creditsUsed } = job;
	const status = redactor.toPlainText(job.status, MAX_NAME_CHARACTERS);
	const ms = jobDurationMs(job, startedAt, seenAt);
	const durationSeconds = ms === undefined ? undefined : toSeconds(ms);
	const after = durationSeconds === undefined ? '' : ` after ${durationSeconds} s`;
	const using = creditsUsed === undefined ? '' : `, using ${creditsUsed} credits`;
	logger.info(`${nodeType}: job ${jobId} finished with status ${status}${after}${using}`, {
		jobId,
		status,
		durationSeconds,
		creditsUsed,
	});
}
