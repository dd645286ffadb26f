import type { IExecuteFunctions } from 'n8n-workflow';

import { messageOf } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError } from '../../errors/stoppedError';
import { UserError } from '../../errors/UserError';
import type { JobSession } from '../../jobs/JobSession';
import { LedgerEntry } from '../../jobs/LedgerEntry';
import { addJobToError } from '../../jobs/addJobToError';
import type { ServiceClient } from '../../service/ServiceClient';
import { openJobSession } from '../openJobSession';
import { waitForItem } from '../operations/waitForItem';
import type { ProcessedItem, Run, RunningItem, StoredItem } from '../types';
import type { SuspendStep } from './createSubWorkflow';
import { confirmInnerExecution } from './watchInnerExecution';
import { capDeadlines } from './capDeadlines';
import { checkSuspendedExecution } from './checkSuspendedExecution';
import { jobIdsIn, type SuspendedJson, type SuspendedState } from './state';

/**
 * Returns the step of a suspended wait that this execution of the node does, and the state that was
 * passed to it; undefined in a user's own workflow.
 */
export function readResumedStep(context: IExecuteFunctions) {
	const step = context.getNodeParameter('suspendStep', 0, '') as SuspendStep | '';
	const { state } = (context.getInputData()[0]?.json ?? {}) as Partial<SuspendedJson>;
	return step !== '' && state !== undefined ? { step, state } : undefined;
}

/**
 * Restores the items of a suspended run for a round of polls. Caps their deadlines in `state` at
 * the workflow's timeout. Stops the run and throws if the suspended execution was stopped or
 * deleted.
 */
export async function restoreItems(
	run: Run,
	state: SuspendedState,
): Promise<Array<RunningItem | ProcessedItem>> {
	const jobIds = jobIdsIn(state);
	const { isGone, startDate } = jobIds.length > 0 ? await checkSuspendedExecution(run, state) : {};
	if (startDate !== undefined) capDeadlines(state, startDate);

	const items = await openStoredSessions(run, state);
	if (isGone === true) {
		run.end.stop();
		throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
	}
	return items;
}

/** Opens the sessions of all jobs, even those of processed items: a Stop may pause their jobs. */
async function openStoredSessions(
	run: Run,
	state: SuspendedState,
): Promise<Array<RunningItem | ProcessedItem>> {
	const { clients, ledger, logger } = run;
	let client: ServiceClient;
	try {
		client = await clients.clientFor(0);
	} catch (error) {
		logger.warn(
			`Browser Agent could not check jobs because its credential could not be loaded: ${messageOf(error)}`,
		);
		return state.items.map((stored) => withoutCredential(run, stored, error));
	}
	confirmInnerExecution(run, state, client);
	return state.items.map((stored, index) => {
		if (stored.entry === undefined) return toProcessedItem(stored);
		const { known, pausePolicy } = stored.entry;
		const entry = ledger.entry(String(index), known);
		const session = openJobSession(run, entry, client, { pausePolicy, waitsForEnd: true });
		return toRunningItem(stored, session);
	});
}

function toRunningItem(stored: StoredItem, session: JobSession): RunningItem | ProcessedItem {
	const { itemIndex, outcome } = stored;
	if (outcome.kind !== 'suspended') return { ...toProcessedItem(stored), entry: session.entry };
	const { wait, itemOptions } = outcome;
	const execute = async () => await waitForItem(session, wait, itemOptions);
	return { itemIndex, session, maxParallel: Infinity, waitsForEnd: true, execute };
}

/**
 * Lets an item keep waiting, since the credential may become usable again. After its deadline, the
 * item fails.
 */
function withoutCredential({ clock }: Run, stored: StoredItem, error: unknown): ProcessedItem {
	const { itemIndex, outcome, entry } = stored;
	if (outcome.kind !== 'suspended') return toProcessedItem(stored);
	const { jobId, deadline } = outcome.wait;
	if (clock.now() < deadline) return { itemIndex, outcome };
	const known = new LedgerEntry(clock, entry?.known);
	const failure = addJobToError(toUserError(error, { jobId }), known);
	return { itemIndex, outcome: { kind: 'failed', error: failure } };
}

function toProcessedItem({ itemIndex, outcome }: StoredItem): ProcessedItem {
	if (outcome.kind !== 'failed') return { itemIndex, outcome };
	const error = new UserError(outcome.message, outcome.details);
	return { itemIndex, outcome: { kind: 'failed', error } };
}
