import { createHash, randomUUID } from 'node:crypto';

import { toUserError } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import { addJobToError } from '../jobs/addJobToError';
import { notStartedAgainError } from '../jobs/startJob';
import type { ServiceClient } from '../service/ServiceClient';
import { isProcessed } from './isProcessed';
import { openJobSession } from './openJobSession';
import { suspensionObstacle } from './suspend/suspensionObstacle';
import type { PreparedItem, ProcessedItem, Run, RunningItem } from './types';

/**
 * Gives each item its session: its client and its entry in the ledger. An item that can't run
 * fails. Sends nothing.
 */
export async function openSessions(
	run: Run,
	prepared: Array<PreparedItem | ProcessedItem>,
): Promise<Array<RunningItem | ProcessedItem>> {
	const items: Array<RunningItem | ProcessedItem> = [];
	for (const one of prepared) {
		items.push(isProcessed(one) ? one : await openSession(run, one));
	}
	const error = run.suspension && (await suspensionObstacle(run, items.length));
	if (error === undefined) return items;
	return items.map((one) => {
		if (isProcessed(one) || one.suspends !== true) return one;
		return failItem(one, error, one.session.entry);
	});
}

async function openSession(run: Run, item: PreparedItem): Promise<RunningItem | ProcessedItem> {
	let client: ServiceClient;
	try {
		client = await run.clients.clientFor(item.itemIndex);
	} catch (error) {
		// An earlier run may have started the item's job, even though this run has no client.
		return failItem(item, toUserError(error), run.ledger.entry(ledgerKey(run, item, '')));
	}
	const entry = run.ledger.entry(ledgerKey(run, item, client.account.name));
	client.redactor.addAddress(item.cdpUrl);
	const error = earlierRunError(entry);
	if (error !== undefined) return failItem(item, error, entry);

	if (item.jobId !== undefined) entry.record('watched', { jobId: item.jobId });
	return { session: openJobSession(run, entry, client, item), ...item };
}

// An item may name several jobs, so its index alone is not enough. An agent may repeat a
// tool call that starts a job or waits for one: the account and the item's `toolCallIdentity`
// identify that call. All other calls are carried out each time.
function ledgerKey(
	{ isTool }: Run,
	{ itemIndex, toolCallIdentity, subject }: PreparedItem,
	account: string,
): string {
	if (!isTool) return `${itemIndex} ${subject?.jobId ?? ''}`;
	if (toolCallIdentity === undefined) return randomUUID();
	return createHash('sha256')
		.update(JSON.stringify([account, toolCallIdentity]))
		.digest('base64url');
}

function failItem(
	{ itemIndex }: PreparedItem,
	error: UserError,
	entry: LedgerEntry,
): ProcessedItem {
	return { itemIndex, outcome: { kind: 'failed', error: addJobToError(error, entry) }, entry };
}

/** Returns the error from an earlier run that makes a retry pointless. */
function earlierRunError({ attempts }: LedgerEntry): UserError | undefined {
	const latest = attempts.at(-1);
	return latest?.state === 'startUnclear' ? notStartedAgainError() : latest?.known.error;
}
