import type { IDataObject, INode } from 'n8n-workflow';

import { toSafeParts } from '../../errors/toNodeError';
import type { EntryRecord, LedgerEntry } from '../../jobs/LedgerEntry';
import type { ItemOutcome, Run, StoredEntry, StoredItem, SuspendedWait } from '../types';

/** The form of the stored state: older versions of the package can't read a later one. */
export const STATE_VERSION = 1;

/** A stored item whose wait continues. */
export type SuspendedItem = StoredItem & { outcome: SuspendedWait };

/**
 * What a suspended run passes on from round to round through the inner execution. In this process,
 * its times are those of the clock; as stored, they are wall-clock times, since the next round may
 * run in another process.
 */
export interface SuspendedState extends RunState {
	version: typeof STATE_VERSION;
	continueOnFail: boolean;
	/** The suspended node, which errors name. */
	node: Pick<INode, 'id' | 'name'>;
	/** The suspended execution. */
	suspendedExecutionId: string;
	/**
	 * The timeout in the suspended workflow's settings. If unset, there is none, or only n8n's
	 * own, which is unknown.
	 */
	timeoutSeconds?: number;
	/** When the execution was suspended: a timestamp in ms. */
	suspendedAt: number;
}

/** The part of the state that each round changes. */
export interface RunState {
	/** All items of the run, each with its job. Two items may have the same job. */
	items: StoredItem[];
}

/** The JSON of the item that passes through the sub-workflow. */
export interface SuspendedJson {
	/** How long n8n's Wait node waits before the next round. */
	waitSeconds: number;
	/** Whether all waits are over. n8n's If node reads it. */
	isDone: boolean;
	/**
	 * What the user reads if n8n is killed during a round. It isn't called `error`, because n8n would
	 * treat the item as failed.
	 */
	message: string;
	/** The jobs still being awaited, as `toJobSummary` shows them to users. */
	jobs: IDataObject[];
	state: SuspendedState;
}

/** Returns the items whose waits continue. */
export function suspendedIn({ items }: RunState): SuspendedItem[] {
	return items.filter((item): item is SuspendedItem => item.outcome.kind === 'suspended');
}

/** Returns the waits that continue. */
export function waitsIn(state: RunState): SuspendedWait[] {
	return suspendedIn(state).map(({ outcome }) => outcome);
}

/** Returns the IDs of the jobs still being awaited, each once. */
export function jobIdsIn(state: RunState): string[] {
	return [...new Set(waitsIn(state).map(({ wait }) => wait.jobId))];
}

/**
 * Returns the JSON-serializable form of a run with suspended waits. Items that got no session,
 * because no credential is usable, keep the job stored in `before`.
 */
export function toRunState(run: Run, outcomes: ItemOutcome[], before?: RunState): RunState {
	return {
		items: outcomes.map((item, index) => ({
			itemIndex: item.itemIndex,
			outcome: toStoredOutcome(run, item),
			entry: item.entry ? toStoredEntry(item.entry, item) : before?.items[index]?.entry,
		})),
	};
}

function toStoredOutcome(run: Run, { outcome }: ItemOutcome): StoredItem['outcome'] {
	if (outcome.kind === 'failed') {
		const { message, details } = toSafeParts(outcome.error, run);
		return { kind: 'failed', message, details };
	}
	if (outcome.kind === 'output') return outcome;
	const { kind, wait, itemOptions } = outcome;
	return { kind, wait: { ...wait, isSuspendedRound: true }, itemOptions };
}

function toStoredEntry({ known, pausePolicy }: LedgerEntry, { outcome }: ItemOutcome): StoredEntry {
	const withCdpUrl = outcome.kind === 'suspended' && outcome.itemOptions.returnCdpUrl === true;
	return { known: toStoredRecord(known, withCdpUrl), pausePolicy };
}

/** The CDP URL of the job's browser is a secret: it is stored only if the item will contain it. */
function toStoredRecord(known: EntryRecord, withCdpUrl: boolean): EntryRecord {
	const { state, jobId, started, job, reason, seenAt } = known;
	const cdp_url = withCdpUrl ? started?.cdp_url : undefined;
	return {
		state,
		jobId,
		seenAt,
		reason,
		started: started && { ...started, cdp_url, body: {} },
		job: job && {
			job_id: job.job_id,
			status: job.status,
			live_url: job.live_url,
			history_url: job.history_url,
			body: {},
		},
	};
}
