import { addToError, type UserError } from '../errors/UserError';
import type { JobState } from '../jobs/jobStateMachine';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import { isAtWork } from '../jobs/status';
import { PAUSE_CONTINUES } from '../jobs/waitErrors';
import type { FailReason } from './RunLifetime';
import type { Run } from './types';

const HOW_TO_CONTINUE = {
	name: 'How to continue',
	url: 'https://github.com/browser-agent-contributors/n8n-nodes-browser-agent/blob/main/docs/what-happens-to-a-running-job.md#how-to-continue',
};

const GET_OTHERS =
	'Get the other results with Job: Wait; running the workflow again starts all jobs again.';

/** Extends the error of a run with what the ledger knows about its jobs. */
export function addJobsToError(
	{ isTool, ledger }: Run,
	error: UserError,
	reason: FailReason,
): UserError {
	const named = new Set(error.details.jobIds);
	const isNamed = (jobId: string) => named.has(jobId);
	// Two items may have the same job.
	const othersOf = (entries: LedgerEntry[]) => {
		const jobIds = entries.map(({ known }) => known.jobId).filter((jobId) => jobId !== undefined);
		return [...new Set(jobIds)].filter((jobId) => !isNamed(jobId));
	};
	const othersIn = (...states: JobState[]) => othersOf(ledger.inState(...states));

	const notPaused = () => {
		const running = ledger.inState('running');
		const atWork = othersOf(running.filter(({ details }) => isAtWork(details?.status)));
		const seenAtWork = new Set(atWork);
		return [
			toList('Not paused, still using credits', atWork),
			toList(
				'Not paused, may be using credits',
				othersOf(running).filter((jobId) => !seenAtWork.has(jobId)),
			),
		];
	};

	const startedIds = ledger.entries
		.map(({ known }) => known.started?.job_id)
		.filter((jobId) => jobId !== undefined);
	const started = [...new Set(startedIds)];
	// n8n drops the error of a Stop, and who calls a tool can't run the workflow again.
	const isShown = reason === 'failed' && !isTool;
	const hasOthers = !started.every(isNamed);
	const paused = othersIn('paused');
	// The run's own error may be that of an unclear start, which says so itself.
	const unclear = ledger
		.inState('startUnclear')
		.filter(({ known }) => known.error?.message !== error.message);
	const sentences = [
		toList('Jobs started by this node', hasOthers ? started : []),
		toList('Paused', paused),
		toList('Being paused', othersIn('pausing')),
		pausesThatFailed(othersIn('pauseUnclear')),
		...(reason === 'failed' ? [] : notPaused()),
		unclearStarts(unclear.length),
		pendingStarts(ledger.inState('sending').length),
		hasOthers && isShown ? GET_OTHERS : '',
	].filter((sentence) => sentence !== '');
	const { links = [] } = error.details;
	const extended = addToError(error, sentences.join(' '), [...started, ...paused]);
	if (sentences.length === 0 || !isShown) return extended;
	return extended.with({ links: [...links, HOW_TO_CONTINUE] });
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
