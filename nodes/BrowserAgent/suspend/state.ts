import type { IDataObject, INode } from 'n8n-workflow';

import { toSafeError } from '../../errors/toNodeError';
import type { EntryRecord, LedgerEntry } from '../../jobs/LedgerEntry';
import type { Run, SettledItem, StoredEntry, StoredItem, SuspendedWait } from '../types';

/** A stored item whose wait continues. */
export type SuspendedItem = StoredItem & { outcome: SuspendedWait };

/** What a suspended run passes on from round to round through the sub-workflow that holds it. */
export interface SuspendedState extends RunState {
	continueOnFail: boolean;
	/** The suspended node, as its errors name it. */
	node: Pick<INode, 'id' | 'name'>;
	parentExecutionId: string;
	/**
	 * The time-out in the settings of the suspended workflow; unset: none, or n8n's own, which is
	 * unknown.
	 */
	timeoutSeconds?: number;
	suspendedAt: number;
}

/** What each round changes. */
export interface RunState {
	/** All items, each with its job: two items may have the same one. */
	items: StoredItem[];
}

/**
 * The item that passes through the sub-workflow. The first fields are what n8n's own nodes read.
 */
export interface SuspendedJson {
	waitSeconds: number;
	isDone: boolean;
	/**
	 * What the user reads if n8n is killed during a round. It isn't called `error`, as in a failure.
	 */
	message: string;
	/** The jobs that are waited for, as they were last seen. */
	jobs: IDataObject[];
	state: SuspendedState;
}

/** The items whose waits continue. */
export function suspendedIn({ items }: RunState): SuspendedItem[] {
	return items.filter((item): item is SuspendedItem => item.outcome.kind === 'suspended');
}

/** The waits that continue. */
export function waitsIn(state: RunState): SuspendedWait[] {
	return suspendedIn(state).map(({ outcome }) => outcome);
}

/** The jobs that are waited for, each once. */
export function jobIdsIn(state: RunState): string[] {
	return [...new Set(waitsIn(state).map(({ wait }) => wait.jobId))];
}

/**
 * What is stored of a run with suspended waits. Items that could not be connected, for want of a
 * usable credential, keep the job that was stored `before`.
 */
export function toRunState(run: Run, settled: SettledItem[], before?: RunState): RunState {
	return {
		items: settled.map((item, index) => ({
			itemIndex: item.itemIndex,
			outcome: toStoredOutcome(run, item),
			entry: item.entry ? toStoredEntry(item.entry, item) : before?.items[index]?.entry,
		})),
	};
}

function toStoredOutcome(run: Run, { outcome }: SettledItem): StoredItem['outcome'] {
	if (outcome.kind === 'failed') {
		const { message, details } = toSafeError(outcome.error, run);
		return { kind: 'failed', message, details };
	}
	if (outcome.kind === 'output') return outcome;
	const { kind, wait, itemOptions } = outcome;
	return { kind, wait: { ...wait, isSuspended: true }, itemOptions };
}

function toStoredEntry({ known, policy }: LedgerEntry, { outcome }: SettledItem): StoredEntry {
	const withAddress = outcome.kind === 'suspended' && outcome.itemOptions.returnCdpUrl === true;
	return { known: toStoredRecord(known, withAddress), policy };
}

/** The address of the job's browser is stored only if the item is to have it. */
function toStoredRecord(known: EntryRecord, withAddress: boolean): EntryRecord {
	const { state, jobId, started, job, seenAt } = known;
	const cdp_url = withAddress ? started?.cdp_url : undefined;
	return {
		state,
		jobId,
		seenAt,
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
