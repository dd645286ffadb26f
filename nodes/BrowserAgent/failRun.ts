import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { toNodeError, toUserError } from '../errors/toNodeError';
import { addToError, type UserError } from '../errors/UserError';
import type { JobState } from '../jobs/jobStates';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import { pauseJob, pauseJobs } from '../jobs/pauseJob';
import { highlightJob } from './highlightedData';
import type { Run } from './types';

// A stopped execution has to end within a second.
const STOP_GRACE_MS = 800;
// How long starts may take to be answered, so that the error can name their jobs.
const FAILURE_GRACE_MS = 5_000;

const MAY_RUN: JobState[] = ['running', 'resumeUnclear'];
// A Stop is worth another request, and since a job was seen paused, its user may have resumed it.
const MAY_RUN_AFTER_ALL: JobState[] = ['pauseFailed', 'userPaused'];

/**
 * Ends a run that has failed or was stopped: lets the starts on their way be answered, pauses jobs
 * where that is wanted, and returns the error with all that the ledger knows of jobs.
 */
export async function failRun(
	run: Run,
	error: unknown,
): Promise<NodeOperationError | NodeApiError> {
	const { ledger } = run;
	const userError = toUserError(error);
	// A failed run may be stopped while it ends.
	const isStop = () => run.isStopped() || userError.details.isStop === true;
	run.end();
	const grace = waitForGrace(run, isStop);
	const starts = ledger.inState('sending').map(async (entry) => await entry.settled());
	await Promise.race([grace, Promise.all(starts)]);
	for (const entry of ledger.inState('sending')) void recordLateStart(run, entry, isStop);

	let wasStop: boolean;
	do {
		wasStop = isStop();
		const entries = ledger.entries.filter((entry) => isToBePaused(run, entry, wasStop));
		await Promise.race([grace, pauseJobs(run, entries)]);
	} while (isStop() !== wasStop);
	return toNodeError(withJobs(run, userError, wasStop), run.errorContext);
}

async function waitForGrace({ context, clock, beganStopped }: Run, isStop: () => boolean) {
	if (!isStop()) await clock.sleep(FAILURE_GRACE_MS, context.getExecutionCancelSignal());
	if (isStop() && !beganStopped) await clock.sleep(STOP_GRACE_MS);
}

function isToBePaused(run: Run, entry: LedgerEntry, isStop: boolean): boolean {
	const { state, policy, isInUse } = entry;
	const isLow = run.ledger.isLowOnCredits(entry);
	// The pauses of all jobs were sent a moment ago.
	if (state === 'pausing') return isLow;
	if (!MAY_RUN.includes(state) && !(isStop && MAY_RUN_AFTER_ALL.includes(state))) return false;
	// While a retry is coming, too: it resumes them when there are credits again.
	if (isLow) return true;
	if (isStop) return policy.onStop || policy.whenAbandoned;
	return policy.whenAbandoned && !isInUse && !isRetryComing(run);
}

// n8n does not say which try it is.
function isRetryComing({ context, ledger, errorContext }: Run): boolean {
	const { retryOnFail, maxTries = 3 } = context.getNode();
	const isHopeless = ledger.inState('failed', 'startUnclear').length > 0;
	const tries = Math.min(5, Math.max(2, maxTries));
	return (
		retryOnFail === true && errorContext.isTool !== true && !isHopeless && ledger.tries < tries
	);
}

async function recordLateStart(run: Run, entry: LedgerEntry, isStop: () => boolean): Promise<void> {
	await entry.settled();
	const { jobId } = entry.facts;
	if (jobId === undefined || entry.isInUse) return;
	run.logger.warn(`Browser Agent started job ${jobId}, but its execution had ended meanwhile`);
	highlightJob(run, jobId);
	if (isToBePaused(run, entry, isStop())) await pauseJob(run, entry);
}

function withJobs({ ledger }: Run, error: UserError, isStop: boolean): UserError {
	const { jobIds: named = [] } = error.details;
	const started = [
		...new Set(ledger.entries.flatMap(({ facts: { started: job } }) => job?.job_id ?? [])),
	];
	const newIn = (...states: JobState[]) =>
		ledger.inState(...states).flatMap(({ facts: { jobId } }) => {
			return jobId === undefined || named.includes(jobId) ? [] : jobId;
		});
	const paused = newIn('paused');
	const unclear = ledger
		.inState('startUnclear')
		.filter(({ facts }) => facts.error?.message !== error.message);
	const sending = ledger.inState('sending');
	const sentences = [
		started.some((jobId) => !named.includes(jobId)) &&
			`Jobs started by this node: ${started.join(', ')}.`,
		listed('Paused', paused),
		listed('Being paused', newIn('pausing')),
		listed('Could not be paused', newIn('pauseFailed')),
		isStop && listed('Not paused, still using credits', newIn('running', 'resumeUnclear')),
		unclear.length > 0 &&
			`Starts with an unclear outcome: ${unclear.length}; their jobs may be running.`,
		sending.length > 0 &&
			`Starts not answered yet: ${sending.length}; the IDs of their jobs will be in n8n's log.`,
	].filter((sentence) => sentence !== false);
	return addToError(error, sentences.join(' '), [...started, ...paused]);
}

function listed(label: string, jobIds: string[]): string | false {
	return jobIds.length > 0 && `${label}: ${jobIds.join(', ')}.`;
}
