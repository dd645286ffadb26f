import { addToError, type UserError } from '../errors/UserError';
import type { JobState } from '../jobs/jobStates';
import type { EndReason } from './RunEnd';
import type { Run } from './types';

/** The error of a run with all that the ledger knows of its jobs. */
export function withJobs({ ledger }: Run, error: UserError, reason: EndReason): UserError {
	const { jobIds: named = [] } = error.details;
	const started = [
		...new Set(ledger.entries.flatMap(({ known: { started: job } }) => job?.job_id ?? [])),
	];
	// Two items may have the same job.
	const newIn = (...states: JobState[]) => {
		const jobIds = ledger.inState(...states).flatMap(({ known: { jobId } }) => jobId ?? []);
		return [...new Set(jobIds)].filter((jobId) => !named.includes(jobId));
	};
	const paused = newIn('paused');
	const unclear = ledger
		.inState('startUnclear')
		.filter(({ known }) => known.error?.message !== error.message);
	const sending = ledger.inState('sending');
	const sentences = [
		started.some((jobId) => !named.includes(jobId)) &&
			`Jobs started by this node: ${started.join(', ')}.`,
		listed('Paused', paused),
		listed('Being paused', newIn('pausing')),
		listed('Could not be paused', newIn('pauseFailed')),
		reason !== 'failed' &&
			listed('Not paused, still using credits', newIn('running', 'resumeUnclear')),
		unclear.length > 0 &&
			(unclear.length === 1
				? 'The outcome of 1 start is unclear; its job may be running.'
				: `The outcomes of ${unclear.length} starts are unclear; their jobs may be running.`),
		sending.length > 0 &&
			(sending.length === 1
				? "1 start has not been answered; its job ID will appear in n8n's log."
				: `${sending.length} starts have not been answered; their job IDs will appear in n8n's log.`),
	].filter((sentence) => sentence !== false);
	return addToError(error, sentences.join(' '), [...started, ...paused]);
}

function listed(label: string, jobIds: string[]): string | false {
	return jobIds.length > 0 && `${label}: ${jobIds.join(', ')}.`;
}
