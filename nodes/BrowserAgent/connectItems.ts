import { createHash } from 'node:crypto';

import { toUserError } from '../errors/toNodeError';
import { UserError } from '../errors/UserError';
import type { LedgerEntry } from '../jobs/JobLedger';
import { withJobFacts } from '../jobs/previousJobs';
import { notStartedAgain } from '../jobs/startJob';
import type { ServiceClient } from '../service/ServiceClient';
import { highlightJob } from './highlightedData';
import type { PreparedItem } from './operations/operation';
import type { Prepared } from './prepareItems';
import type { ItemRun, Run, RunResult } from './run';
import { shareCredits } from './shareCredits';

/** An item with everything that it needs to run. */
export interface ConnectedItem extends Prepared {
	item: ItemRun;
}

/** The same, or what is known already to come of it. */
export type ReadyItem = ConnectedItem | RunResult;

/** Gives each item its client, by its own credential, and its line in the ledger. Sends nothing. */
export async function connectItems(
	run: Run,
	prepared: Array<Prepared | RunResult>,
): Promise<ReadyItem[]> {
	const items: ReadyItem[] = [];
	for (const one of prepared) {
		items.push('result' in one ? one : await connectItem(run, one));
	}
	shareCredits(
		run,
		items.filter((one) => 'item' in one),
	);
	const obstacle = run.suspension && (await obstacleToSuspending(run, items));
	return items.map((one) => {
		if ('result' in one) return one;
		const { entry } = one.item;
		const error = (one.prepared.suspends ? obstacle : undefined) ?? errorOfEarlierTry(entry);
		return error === undefined ? one : toFailed(one.itemIndex, error, entry);
	});
}

function toFailed(itemIndex: number, error: UserError, entry: LedgerEntry): RunResult {
	return { itemIndex, result: { error: withJobFacts(error, entry) } };
}

// One that no further try can change.
function errorOfEarlierTry({ attempts }: LedgerEntry): UserError | undefined {
	const latest = attempts.at(-1);
	return latest?.state === 'unclear' ? notStartedAgain() : latest?.error;
}

/** Why the waits can't be suspended although n8n could do so; undefined: they can. */
async function obstacleToSuspending(run: Run, items: ReadyItem[]): Promise<UserError | undefined> {
	// n8n resolves the credential again in the sub-workflow that holds the waits, without the items.
	if (!(await run.connector.isSameForAnyItem(items.length))) {
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
	if (items.length === inputs || !isMispaired) return undefined;
	return new UserError(
		"'Suspend While Waiting' is not possible with several 'Job IDs' per item here",
		{
			description:
				"n8n could not pair the results with their input items. Turn the option off, or run the node with a single input item and without 'Continue (using error output)'.",
		},
	);
}

async function connectItem(run: Run, { itemIndex, prepared }: Prepared): Promise<ReadyItem> {
	// Also without a client: an earlier try may have started the item's job.
	const entry = run.ledger.entry(ledgerKey(run, prepared, itemIndex));
	entry.users.add(run.signal);
	try {
		const client = await run.connector.clientFor(itemIndex);
		const item = createItemRun(run, client, entry);
		entry.policy = prepared.policy ?? entry.policy;
		if (prepared.suspends === true) item.suspendSignal = run.suspension?.signal;
		return { itemIndex, item, prepared };
	} catch (error) {
		return toFailed(itemIndex, toUserError(error), entry);
	}
}

/** What an operation works with, for one item of a run. */
export function createItemRun(run: Run, client: ServiceClient, entry: LedgerEntry): ItemRun {
	const { clock, logger, signal, execution, storeFile, summary } = run;
	entry.client = client;
	entry.onStarted = ({ jobId = '', queuedMs }) => {
		summary.noteStart(queuedMs);
		logger.info(`Browser Agent started job ${jobId}`);
		highlightJob(run, jobId);
	};
	return {
		clock,
		logger,
		signal,
		execution,
		storeFile,
		summary,
		client,
		scheduler: run.schedulerOf(client.account),
		entry,
		requireCredits: async () => {},
	};
}

// An item may name several jobs. An agent may repeat a call of a tool: then the parameters are what
// makes two calls the same.
function ledgerKey({ place }: Run, prepared: PreparedItem, itemIndex: number): string {
	const { parameters, subject } = prepared;
	if (place.isTool !== true) return `${itemIndex} ${subject?.jobId ?? ''}`;
	return createHash('sha256')
		.update(JSON.stringify(parameters ?? itemIndex))
		.digest('base64url');
}
