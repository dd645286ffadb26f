import { createHash } from 'node:crypto';

import { toUserError } from '../errors/toNodeError';
import type { UserError } from '../errors/UserError';
import type { LedgerEntry } from '../jobs/LedgerEntry';
import { withJobDetails } from '../jobs/withJobDetails';
import { notStartedAgainError } from '../jobs/startJob';
import type { ServiceClient } from '../service/ServiceClient';
import { openJobSession } from './openJobSession';
import { suspensionError } from './suspend/suspensionError';
import type { PreparedItem, Run, RunningItem, SettledItem } from './types';

/** Gives each item its client and its entry in the ledger. Sends nothing. */
export async function connectItems(
	run: Run,
	prepared: Array<PreparedItem | SettledItem>,
): Promise<Array<RunningItem | SettledItem>> {
	const items: Array<RunningItem | SettledItem> = [];
	for (const one of prepared) {
		items.push(one.outcome === undefined ? await connectItem(run, one) : one);
	}
	const error = run.suspension && (await suspensionError(run, items.length));
	if (error === undefined) return items;
	return items.map((one) => {
		const isAffected = one.outcome === undefined && one.suspends === true;
		return isAffected ? toFailed(one, error, one.session.entry) : one;
	});
}

async function connectItem(run: Run, item: PreparedItem): Promise<RunningItem | SettledItem> {
	let client: ServiceClient;
	try {
		client = await run.clients.clientFor(item.itemIndex);
	} catch (error) {
		// An earlier run may have started the item's job, although there is no client now.
		return toFailed(item, toUserError(error), run.ledger.entry(ledgerKey(run, item, '')));
	}
	const entry = run.ledger.entry(ledgerKey(run, item, client.account.name));
	client.redactor.addAddress(item.cdpUrl);
	const error = earlierRunError(entry);
	if (error !== undefined) return toFailed(item, error, entry);

	if (item.jobId !== undefined) entry.record('watched', { jobId: item.jobId });
	return { session: openJobSession(run, entry, client, item), ...item };
}

// An item may name several jobs. An agent may repeat a call of a tool: then the account and the
// parameters are what makes two calls the same.
function ledgerKey(
	{ isTool }: Run,
	{ itemIndex, parameters, subject }: PreparedItem,
	account: string,
): string {
	if (!isTool) return `${itemIndex} ${subject?.jobId ?? ''}`;
	return createHash('sha256')
		.update(JSON.stringify([account, parameters ?? itemIndex]))
		.digest('base64url');
}

function toFailed({ itemIndex }: PreparedItem, error: UserError, entry: LedgerEntry): SettledItem {
	return { itemIndex, outcome: { kind: 'failed', error: withJobDetails(error, entry) }, entry };
}

/** The error that no retry can change. */
function earlierRunError({ attempts }: LedgerEntry): UserError | undefined {
	const latest = attempts.at(-1);
	return latest?.state === 'startUnclear' ? notStartedAgainError() : latest?.known.error;
}
