import { addToError, type UserError } from '../errors/UserError';
import type { JobState } from '../jobs/jobStateMachine';
import { isAtWork } from '../jobs/status';
import { PAUSE_CONTINUES } from '../jobs/waitErrors';
import type { FailReason } from './RunLifetime';
import type { Run } from './types';

/** Extends the error of a run with what the ledger knows about its jobs. */
export function addJobsToError({ ledger }: Run, error: UserError, reason: FailReason): UserError {
	const { jobIds: named = [] } = error.details;
	const isNamed = (jobId: string) => named.includes(jobId);
	// Two items may have the same job.
	const othersIn = (...states: JobState[]) => {
		const jobIds = ledger
			.inState(...states)
			.map(({ known }) => known.jobId)
			.filter((jobId) => jobId !== undefined);
		return [...new Set(jobIds)].filter((jobId) => !isNamed(jobId));
	};

	const notPaused = () => {
		const running = othersIn('running');
		const isSeenAtWork = (jobId: string) =>
			ledger.entries.some(
				({ known, details }) => known.jobId === jobId && isAtWork(details?.status),
			);
		return [
			toList('Not paused, still using credits', running.filter(isSeenAtWork)),
			toList(
				'Not paused, may be using credits',
				running.filter((jobId) => !isSeenAtWork(jobId)),
			),
		];
	};

	const startedIds = ledger.entries
		.map(({ known }) => known.started?.job_id)
		.filter((jobId) => jobId !== undefined);
	const started = [...new Set(startedIds)];
	const paused = othersIn('paused');
	// The run's own error may be that of an unclear start, which says so itself.
	const unclear = ledger
		.inState('startUnclear')
		.filter(({ known }) => known.error?.message !== error.message);
	const sentences = [
		toList('Jobs started by this node', started.every(isNamed) ? [] : started),
		toList('Paused', paused),
		toList('Being paused', othersIn('pausing')),
		pausesThatFailed(othersIn('pauseUnclear')),
		...(reason === 'failed' ? [] : notPaused()),
		unclearStarts(unclear.length),
		pendingStarts(ledger.inState('sending').length),
	];
	const text = sentences.filter((sentence) => sentence !== '').join(' ');
	return addToError(error, text, [...started, ...paused]);
}

function toList(label: string, jobIds: string[]): string {
	return jobIds.length === 0 ? '' : `${label}: ${jobIds.join(', ')}.`;
}

function pausesThatFailed(jobIds: string[]): string {
	if (jobIds.length === 0) return '';
	return `${toList('Could not be paused so far and may still be running', jobIds)} ${PAUSE_CONTINUES}`;
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
