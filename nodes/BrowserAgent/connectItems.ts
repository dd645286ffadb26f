import { createHash } from 'node:crypto';

import { anySignal } from '../async/abortSignals';
import { toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import { CreditMonitor } from '../jobs/CreditMonitor';
import type { JobContext } from '../jobs/JobContext';
import type { LedgerEntry, LedgerJob, PausePolicy } from '../jobs/LedgerEntry';
import { withJobFacts } from '../jobs/previousJobs';
import { notStartedAgainError } from '../jobs/startJob';
import { createStoreFile } from '../output/fileItem';
import type { ServiceClient } from '../service/ServiceClient';
import { highlightJob } from './highlightedData';
import type { ItemResult, PreparedItem, Run, RunningItem } from './types';

/** An item's entry in the ledger, and its client. */
interface Connected {
	item: PreparedItem;
	entry: LedgerEntry;
	client: ServiceClient;
}

/**
 * Gives each item what its job needs: its client, by its own credential, its entry in the ledger, and one
 * monitor of the credits for all items of an account. Sends nothing.
 */
export async function connectItems(
	run: Run,
	prepared: Array<PreparedItem | ItemResult>,
): Promise<Array<RunningItem | ItemResult>> {
	const connected: Array<Connected | ItemResult> = [];
	for (const one of prepared) {
		connected.push('outcome' in one ? one : await connect(run, one));
	}
	const items = connected.filter((one) => 'item' in one);
	const monitors = createMonitors(run, items);
	const obstacle = run.suspension && (await obstacleToSuspending(run, connected.length));
	return connected.map((one) => {
		if ('outcome' in one) return one;
		const { item, entry, client } = one;
		const error = (item.suspends ? obstacle : undefined) ?? errorOfEarlierTry(entry);
		if (error !== undefined) return toFailed(item, error, entry);
		const credits = monitors.get(client) ?? new CreditMonitor(run, client, {});
		const suspendSignal = item.suspends ? run.suspension?.signal : undefined;
		return { ...item, context: createContext(run, entry, credits, suspendSignal) };
	});
}

/** What an item's job needs. Its wait is suspended when `suspendSignal` is aborted. */
export function createContext(
	run: Run,
	entry: LedgerEntry,
	credits: CreditMonitor,
	suspendSignal?: AbortSignal,
): JobContext {
	const { clock, context, logger, signal } = run;
	const { client } = credits;
	return {
		client,
		scheduler: run.schedulerOf(client.account),
		entry,
		credits,
		clock,
		logger,
		storeFile: createStoreFile(context.helpers),
		execution: context.getExecutionId() ?? '',
		signal,
		waitSignal: suspendSignal ? anySignal(credits.signal, suspendSignal) : credits.signal,
	};
}

/** Lets a run be told of the job of an entry, and the entry know whose it is. */
export function connectEntry(
	{ context, logger }: Run,
	entry: LedgerEntry,
	client: ServiceClient,
	policy: PausePolicy = entry.policy,
): void {
	const onStarted = ({ job_id }: LedgerJob) => {
		logger.info(`Browser Agent started job ${job_id}`);
		highlightJob({ context, logger }, job_id);
	};
	entry.connect({ client, policy, onStarted });
}

async function connect(run: Run, item: PreparedItem): Promise<Connected | ItemResult> {
	// An earlier try may have started the item's job, although there is no client now.
	const entry = run.ledger.entry(ledgerKey(run, item));
	try {
		const client = await run.clients.clientFor(item.itemIndex);
		connectEntry(run, entry, client, item.policy);
		if (item.jobId !== undefined) entry.recordWatched(item.jobId);
		return { item, entry, client };
	} catch (error) {
		return toFailed(item, toUserError(error), entry);
	}
}

// An item may name several jobs. An agent may repeat a call of a tool: then the parameters are what
// makes two calls the same.
function ledgerKey(
	{ errorContext }: Run,
	{ itemIndex, parameters, subject }: PreparedItem,
): string {
	if (errorContext.isTool !== true) return `${itemIndex} ${subject?.jobId ?? ''}`;
	return createHash('sha256')
		.update(JSON.stringify(parameters ?? itemIndex))
		.digest('base64url');
}

function toFailed({ itemIndex }: PreparedItem, error: UserError, entry: LedgerEntry): ItemResult {
	return { itemIndex, outcome: { error: withJobFacts(error, entry) } };
}

/** The error that no retry can change. */
function errorOfEarlierTry({ attempts }: LedgerEntry): UserError | undefined {
	const latest = attempts.at(-1);
	return latest?.state === 'startUnclear' ? notStartedAgainError() : latest?.facts.error;
}

/** One for each account. The highest limits of its items count; of the minimums, those of new jobs. */
function createMonitors(run: Run, items: Connected[]): Map<ServiceClient, CreditMonitor> {
	const clients = new Set(items.map(({ client }) => client));
	return new Map(
		[...clients].map((client) => {
			const ofAccount = items.filter((one) => one.client === client);
			const withoutJob = ofAccount.filter(({ entry }) => entry.state === 'none');
			const limits = {
				minimum: highest(withoutJob.map(({ item }) => item.minimumCredits)),
				threshold: highest(ofAccount.map(({ item }) => item.stopBelowCredits)),
			};
			return [client, new CreditMonitor(run, client, limits)];
		}),
	);
}

function highest(values: Array<number | undefined>): number | undefined {
	const known = values.filter((value) => value !== undefined);
	return known.length === 0 ? undefined : Math.max(...known);
}

/** Why the waits can't be suspended although n8n could do so; undefined: they can. */
async function obstacleToSuspending(run: Run, itemCount: number): Promise<UserError | undefined> {
	// n8n resolves the credential again in the sub-workflow that holds the waits, without the items.
	if (!(await run.clients.isSameForAnyItem(itemCount))) {
		return new UserError(
			"'Suspend While Waiting' is not possible when the credential depends on the item",
			{
				description:
					'Nothing was started. Turn the option off, or use a credential without expressions.',
			},
		);
	}
	// After a suspension, n8n pairs results and input by their positions. With its error output, a result
	// without a partner ends the execution.
	const inputs = run.context.getInputData().length;
	const isMispaired = inputs > 1 || run.context.getNode().onError === 'continueErrorOutput';
	if (itemCount === inputs || !isMispaired) return undefined;
	return new UserError(
		"'Suspend While Waiting' is not possible with several 'Job IDs' per item here",
		{
			description:
				"n8n could not pair the results with their input items. Turn the option off, or run the node with a single input item and without 'Continue (using error output)'.",
		},
	);
}
