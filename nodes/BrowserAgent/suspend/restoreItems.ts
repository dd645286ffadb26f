import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../../async/clock';
import { messageOf } from '../../errors/ServiceError';
import { toUserError } from '../../errors/toNodeError';
import { stoppedError } from '../../errors/stoppedError';
import { UserError } from '../../errors/UserError';
import type { JobSession } from '../../jobs/JobSession';
import { LedgerEntry } from '../../jobs/LedgerEntry';
import { addJobToError } from '../../jobs/addJobToError';
import type { ServiceClient } from '../../service/ServiceClient';
import { createJobSession } from '../createJobSession';
import { waitForItem } from '../operations/finishItem';
import type { ItemOutcome, ReadyItem, Run, StoredItem } from '../types';
import type { SuspendStep } from './createSubWorkflow';
import { jobIdsIn, type SuspendedJson, type SuspendedState } from './state';
import { readStoredState } from './storedState';
import { capDeadlines } from './timing';
import { confirmInnerExecution } from './watchInnerExecution';

/**
 * Returns the step of a suspended wait that this execution of the node performs, and the state that
 * was passed to it; undefined in a user's own workflow. Throws a `UserError` that names the jobs if
 * the state can't be read.
 */
export function readResumedStep(context: IExecuteFunctions, clock: Clock) {
	const step = context.getNodeParameter('suspendStep', 0, '') as SuspendStep | '';
	if (step === '') return undefined;
	const json = (context.getInputData()[0]?.json ?? {}) as Partial<SuspendedJson>;
	return { step, state: readStoredState(json, clock) };
}

/**
 * Restores the items of a suspended run for a round of polls. Caps their deadlines in `state` at
 * the workflow's timeout. Stops the run and throws if the suspended execution was stopped or
 * deleted.
 */
export async function restoreItems(
	run: Run,
	state: SuspendedState,
): Promise<Array<ReadyItem | ItemOutcome>> {
	const jobIds = jobIdsIn(state);
	const { isGone, startedAt } = jobIds.length > 0 ? await checkSuspendedExecution(run, state) : {};
	if (startedAt !== undefined) capDeadlines(state, startedAt);

	const items = await assignStoredSessions(run, state);
	if (isGone === true) {
		run.lifetime.stop();
		throw stoppedError(`the node stopped waiting for job ${jobIds.join(', ')}`);
	}
	return items;
}

/**
 * Checks whether the suspended execution was stopped or deleted and, if n8n knows, when it began,
 * as a timestamp in ms. Never rejects: without an answer from n8n's database, the execution counts
 * as still suspended.
 */
async function checkSuspendedExecution(
	{ context, logger }: Run,
	{ suspendedExecutionId }: SuspendedState,
): Promise<{ isGone: boolean; startedAt?: number }> {
	try {
		const suspended = await context.getExecutionDataById(suspendedExecutionId);
		if (suspended === undefined) return { isGone: true };
		const { error, runData } = suspended.resultData;
		const startTimes = Object.values(runData).flatMap((runs) =>
			runs.map(({ startTime }) => startTime),
		);
		const startedAt = startTimes.length > 0 ? Math.min(...startTimes) : undefined;
		return { isGone: error !== undefined, startedAt };
	} catch (error) {
		logger.warn(
			`Browser Agent could not check execution ${suspendedExecutionId}: ${messageOf(error)}`,
		);
		return { isGone: false };
	}
}

/** Gives all jobs sessions, even those of items that have an outcome: a Stop may pause them. */
async function assignStoredSessions(
	run: Run,
	state: SuspendedState,
): Promise<Array<ReadyItem | ItemOutcome>> {
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
		if (stored.entry === undefined) return toItemOutcome(stored);
		const { known, pausePolicy } = stored.entry;
		const entry = ledger.openEntry(String(index), known);
		const session = createJobSession(run, entry, client, { pausePolicy, waitsForEnd: true });
		return toReadyItem(stored, session);
	});
}

function toReadyItem(stored: StoredItem, session: JobSession): ReadyItem | ItemOutcome {
	const { itemIndex, outcome } = stored;
	if (outcome.kind !== 'suspended') return { ...toItemOutcome(stored), entry: session.entry };
	const { wait, itemOptions } = outcome;
	const execute = async () => await waitForItem(session, wait, itemOptions);
	return { itemIndex, session, maxParallel: Infinity, waitsForEnd: true, execute };
}

/**
 * Lets an item keep waiting, since the credential may become usable again. After its deadline, the
 * item fails.
 */
function withoutCredential({ clock }: Run, stored: StoredItem, error: unknown): ItemOutcome {
	const { itemIndex, outcome, entry } = stored;
	if (outcome.kind !== 'suspended') return toItemOutcome(stored);
	const { jobId, deadline } = outcome.wait;
	if (clock.now() < deadline) return { itemIndex, outcome };
	const restored = new LedgerEntry(clock, entry?.known);
	const failure = addJobToError(toUserError(error, { jobId }), restored);
	return { itemIndex, outcome: { kind: 'failed', error: failure } };
}

function toItemOutcome({ itemIndex, outcome }: StoredItem): ItemOutcome {
	if (outcome.kind !== 'failed') return { itemIndex, outcome };
	const error = new UserError(outcome.message, outcome.details);
	return { itemIndex, outcome: { kind: 'failed', error } };
}
