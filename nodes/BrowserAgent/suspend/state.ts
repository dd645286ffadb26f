import type { IDataObject, INode } from 'n8n-workflow';

import type { EntryFacts, PausePolicy } from '../../jobs/LedgerEntry';
import type { StoredResult } from '../types';

/** A suspended wait. */
export type StoredWait = Extract<StoredResult['outcome'], { wait: unknown }>['wait'];

/** An entry of the ledger, with dates instead of the clock's times. */
export interface StoredEntry {
	facts: Omit<EntryFacts, 'error'>;
	policy: PausePolicy;
}

/** What a suspended run passes on from round to round through the sub-workflow that holds it. */
export interface SuspendedState {
	results: StoredResult[];
	/** All jobs that the suspended node has started or waits for, by their IDs. */
	entries: Record<string, StoredEntry>;
	continueOnFail: boolean;
	/** The suspended node, as its errors name it. */
	node: Pick<INode, 'id' | 'name'>;
	parentExecutionId: string;
	/** The time-out in the settings of the suspended workflow; unset: none, or n8n's own, which is unknown. */
	timeoutSeconds?: number;
	suspendedDate: number;
	/** Salted hashes of what is secret in the addresses of browsers: rounds hide it, without knowing it. */
	secretHashes: string[];
	/** The threshold of the account's credits, and when they were read last; unset: there is none. */
	credits?: { threshold: number; lastReadDate: number };
}

/** The item that passes through the sub-workflow. The first fields are what n8n's own nodes read. */
export interface SuspendedJson {
	waitSeconds: number;
	isDone: boolean;
	/**
	 * If n8n is killed during a round, it takes this item for what the sub-workflow returns, and this is
	 * what tells the user. Not `error`: a run that is not killed has none.
	 */
	message: string;
	/** The jobs that are waited for, as they were last seen. */
	jobs: IDataObject[];
	state: SuspendedState;
}
