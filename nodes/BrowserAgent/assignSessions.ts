import { createHash, randomUUID } from 'node:crypto';

import { toUserError } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import { addJobToError } from '../jobs/addJobToError';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import { notStartedAgainError } from '../jobs/startJob';
import type { ServiceClient } from '../service/ServiceClient';
import { createJobSession } from './createJobSession';
import { suspensionObstacle } from './suspend/createSuspension';
import { hasOutcome, type ItemOutcome, type PreparedItem, type ReadyItem, type Run } from './types';

/**
 * Gives each item its session: its client and its entry in the ledger. An item that can't run
 * fails. Sends nothing.
 */
export async function assignSessions(
	run: Run,
	prepared: Array<PreparedItem | ItemOutcome>,
): Promise<Array<ReadyItem | ItemOutcome>> {
	const items: Array<ReadyItem | ItemOutcome> = [];
	for (const item of prepared) {
		items.push(hasOutcome(item) ? item : await assignSession(run, item));
	}
	const error = run.suspension && (await suspensionObstacle(run, items.length));
	if (error === undefined) return items;
	return items.map((item) => {
		if (hasOutcome(item) || item.suspends !== true) return item;
		return failItem(item, error, item.session.entry);
	});
}

async function assignSession(run: Run, item: PreparedItem): Promise<ReadyItem | ItemOutcome> {
	let client: ServiceClient;
	try {
		client = await run.clients.clientFor(item.itemIndex);
	} catch (error) {
		// An earlier run may have started the item's job, even though this run has no client.
		return failItem(item, toUserError(error), run.ledger.openEntry(ledgerKey(run, item, '')));
	}
	const entry = run.ledger.openEntry(ledgerKey(run, item, client.account.name));
	client.redactor.addCdpUrl(item.cdpUrl);
	const error = earlierRunError(entry);
	if (error !== undefined) return failItem(item, error, entry);

	if (item.jobId !== undefined) entry.record('jobSpecified', { jobId: item.jobId });
	return { session: createJobSession(run, entry, client, item), ...item };
}

// An item may name several jobs, so its index alone is not enough. An agent may repeat a tool call
// that starts a job or waits for one: the account and the item's `toolCallIdentity` identify that
// call. All other calls are carried out each time.
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

function failItem({ itemIndex }: PreparedItem, error: UserError, entry: LedgerEntry): ItemOutcome {
	return { itemIndex, outcome: { kind: 'failed', error: addJobToError(error, entry) }, entry };
}

/** Returns the error from an earlier run that makes a retry pointless. */
function earlierRunError({ attempts }: LedgerEntry): UserError | undefined {
	const latest = attempts.at(-1);
	return latest?.state === 'startUnclear' ? notStartedAgainError() : latest?.known.error;
}
