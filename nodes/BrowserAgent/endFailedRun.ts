import type { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { toNodeError, toUserError } from '../errors/toNodeError';
import { addToError, type UserError } from '../errors/UserError';
import type { LedgerEntry } from '../jobs/JobLedger';
import { pauseJob, pauseJobs } from '../jobs/pauseJob';
import { highlightJob } from './highlightedData';
import type { Run } from './run';

// A stopped execution has to end within a second.
const STOP_GRACE_MS = 800;
// How long starts may take to be answered, so that the error can name their jobs.
const FAILURE_GRACE_MS = 5_000;

/**
 * Ends a run that has failed or was stopped: lets the starts on their way be answered, pauses jobs
 * where that is wanted, and returns the error with all that the ledger knows of jobs.
 */
export async function endFailedRun(
	run: Run,
	error: unknown,
): Promise<NodeOperationError | NodeApiError> {
	const userError = toUserError(error);
	// A failed run may be stopped while it ends.
	const isStop = () => run.isStopped() || userError.details.isStop === true;
	run.ledger.release(run.signal);
	const isToBePaused = (entry: LedgerEntry) => {
		const { policy, pausing, users, isSeenPaused } = entry;
		// Since it was seen, its user may have resumed it: a Stop is worth a request.
		if (isSeenPaused && !isStop()) return false;
		// Also while a further try is coming: it resumes them when there are credits again.
		if (run.ledger.isBelowFloor(entry)) return true;
		const isOver = isStop() || (users.size === 0 && !isRetryComing(run));
		const isWanted = policy.whenAbandoned || (isStop() && policy.onStop);
		return isOver && isWanted && pausing === undefined;
	};
	const pauseAll = async () =>
		await pauseJobs(run, run.ledger.inState('running').filter(isToBePaused));
	const rejected = run.ledger.inState('running').filter(({ hasPauseFailed }) => hasPauseFailed);
	// A Stop is worth another request.
	if (isStop()) for (const entry of rejected) entry.pausing = undefined;
	const grace = waitForGrace(run, isStop);

	await Promise.race([grace, run.ledger.settled()]);
	run.ledger.onStarted = (entry) => noteLateStart(run, entry, isToBePaused(entry));
	await Promise.race([grace, pauseAll()]);
	// Again, for a Stop that has come meanwhile.
	await Promise.race([grace, pauseAll()]);
	return toNodeError(withJobs(userError, run, isStop()), run.place);
}

async function waitForGrace({ context, clock, beganStopped }: Run, isStop: () => boolean) {
	if (!isStop()) await clock.sleep(FAILURE_GRACE_MS, context.getExecutionCancelSignal());
	if (isStop() && !beganStopped) await clock.sleep(STOP_GRACE_MS);
}

// n8n does not say which try it is.
function isRetryComing({ context, ledger, place }: Run): boolean {
	const { retryOnFail, maxTries = 3 } = context.getNode();
	const isHopeless =
		ledger.inState('failed', 'unclear').length > 0 ||
		ledger.inState('finished').some(({ error }) => error !== undefined);
	const tries = Math.min(5, Math.max(2, maxTries));
	return retryOnFail === true && place.isTool !== true && !isHopeless && ledger.tries < tries;
}

function noteLateStart(run: Run, entry: LedgerEntry, isToBePaused: boolean): void {
	const { jobId = '' } = entry;
	run.logger.warn(`Browser Agent started job ${jobId}, but its execution had ended meanwhile`);
	highlightJob(run, jobId);
	if (isToBePaused) void pauseJob(run, entry);
}

function withJobs(error: UserError, { ledger, startedElsewhere }: Run, isStop: boolean): UserError {
	const { jobIds: named = [] } = error.details;
	const started = [...new Set([...startedElsewhere, ...ledger.startedJobIds])];
	const isNew = ({ jobId = '' }: LedgerEntry) => !named.includes(jobId);
	const paused = ledger.inState('paused').filter(isNew);
	const running = ledger.inState('running').filter(isNew);
	const pausing = running.filter(({ pausing, hasPauseFailed }) => pausing && !hasPauseFailed);
	// The service rejects a pause of what is paused.
	const seenRunning = running.filter(({ isSeenPaused }) => !isSeenPaused);
	const unpaused = seenRunning.filter(({ hasPauseFailed }) => hasPauseFailed);
	const left = seenRunning.filter(({ pausing }) => !pausing);
	const unclear = ledger
		.inState('unclear')
		.filter((entry) => entry.error?.message !== error.message);
	const sending = ledger.inState('sending');
	const sentences = [
		started.some((jobId) => !named.includes(jobId)) &&
			`Jobs started by this node: ${started.join(', ')}.`,
		listed('Paused', paused),
		listed('Being paused', pausing),
		listed('Could not be paused', unpaused),
		isStop && listed('Not paused, still using credits', left),
		unclear.length > 0 &&
			`Starts with an unclear outcome: ${unclear.length}; their jobs may be running.`,
		sending.length > 0 &&
			`Starts not answered yet: ${sending.length}; the IDs of their jobs will be in n8n's log.`,
	].filter((sentence) => sentence !== false);
	return addToError(error, sentences.join(' '), [...started, ...idsOf(paused)]);
}

function listed(label: string, entries: LedgerEntry[]): string | false {
	return entries.length > 0 && `${label}: ${idsOf(entries).join(', ')}.`;
}

function idsOf(entries: LedgerEntry[]): string[] {
	return entries.map(({ jobId = '' }) => jobId);
}
