import { createHash, randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

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
	const error = earlierRunError(run, entry);
	if (error !== undefined) return failItem(item, error, entry);

	if (item.jobId !== undefined) entry.record('jobSpecified', { jobId: item.jobId });
	return { session: createJobSession(run, entry, client, item), ...item };
}

/**
 * Returns what tells the items of a run apart: an item may name several jobs, so its index alone is
 * not enough. Equal calls of a tool share a job: they have the same account and parameters. The
 * item's data don't count, since newer agents put a new ID for each call into them.
 */
function ledgerKey(
	{ context, isTool }: Run,
	{ hasJob = false, itemIndex, jobId = '' }: PreparedItem,
	account: string,
): string {
	if (!isTool) return `${itemIndex} ${jobId}`;
	if (!hasJob) return randomUUID();
	const call = [account, itemIndex, jobId, evaluatedParameters(context, itemIndex)];
	return createHash('sha256').update(JSON.stringify(call)).digest('base64url');
}

/** Returns the values of all parameters that the node has set, in the order of their names. */
function evaluatedParameters(context: IExecuteFunctions, itemIndex: number): unknown[] {
	const names = Object.keys(context.getNode().parameters).sort();
	return names.map((name) => [name, context.getNodeParameter(name, itemIndex, null)]);
}

function failItem({ itemIndex }: PreparedItem, error: UserError, entry: LedgerEntry): ItemOutcome {
	return { itemIndex, outcome: { kind: 'failed', error: addJobToError(error, entry) }, entry };
}

/** Returns the error from an earlier run, or an equal call, that makes this one pointless. */
function earlierRunError({ isTool, ledger }: Run, entry: LedgerEntry): UserError | undefined {
	const { state, known } = entry.latestAttempt;
	if (state !== 'startUnclear') return known.error;
	return notStartedAgainError(isTool ? ledger.keptUntil(entry) : undefined);
}
