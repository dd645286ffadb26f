import type { Logger } from 'n8n-workflow';

import { MAX_NAME_CHARACTERS } from '../errors/plainText';
import type { Redactor } from '../service/redact';
import { toId } from '../service/toId';
import type { Job } from '../service/types';
import { jobDurationMs, toSeconds } from './status';
import type { PauseWork } from './Work';

/** Records the job as a status check showed it, and logs its end the first time it is seen. */
export function recordSeen({ run, client, job }: PauseWork, seen: Job): void {
	reportMistake({ run, client, job }, seen);
	const hasJustEnded = job.recordSeen(seen, client.redactor);
	if (!hasJustEnded) return;
	const durationMs = jobDurationMs(seen, job.record.start?.at, run.clock.now());
	logFinished(run.logger, 'Browser Agent', client.redactor, seen, durationMs);
}

/**
 * Logs, once for each job, that a response carries the ID of another one. It counts all the same:
 * it was the response to a request for this job.
 */
function reportMistake({ run, client, job }: PauseWork, { job_id: jobId, body }: Job): void {
	const other = toId(body.job_id);
	if (other === undefined || other === jobId || !job.recordMistake()) return;
	const shown = client.redactor.toPlainText(other, MAX_NAME_CHARACTERS);
	run.logger.warn(`Browser Agent: the status of job ${jobId} came with the ID of job ${shown}`, {
		jobId,
	});
}

/**
 * Logs that a job has ended, with its status and, as far as they are known, its duration and its
 * credits. `nodeType`: the name that the message begins with. `redactor`: that of the job's client,
 * since a status may be cut, and half a secret would not be found.
 */
export function logFinished(
	logger: Logger,
	nodeType: 'Browser Agent' | 'Browser Agent Trigger',
	redactor: Redactor,
	job: Job,
	durationMs?: number,
): void {
	const { job_id: jobId, credits_used: creditsUsed } = job;
	const status = redactor.toPlainText(job.status, MAX_NAME_CHARACTERS);
	const durationSeconds = durationMs === undefined ? undefined : toSeconds(durationMs);
	const after = durationSeconds === undefined ? '' : ` after ${durationSeconds} s`;
	const using = creditsUsed === undefined ? '' : `, using ${creditsUsed} credits`;
	logger.info(`${nodeType}: job ${jobId} finished with status ${status}${after}${using}`, {
		jobId,
		status,
		durationSeconds,
		creditsUsed,
	});
}
