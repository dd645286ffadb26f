import type { IDataObject, INode } from 'n8n-workflow';

import { toSafeText } from '../../errors/toNodeError';
import type { CreditLimits } from '../../jobs/CreditMonitor';
import type { EntryFacts, PausePolicy } from '../../jobs/LedgerEntry';
import type { ItemOutcome, ItemResult, Run, StoredResult } from '../types';

type SuspendedWait = Extract<ItemOutcome, { suspended: unknown }>['suspended'];

/** What a suspended run passes on from round to round through the sub-workflow that holds it. */
export interface SuspendedState extends RunState {
	continueOnFail: boolean;
	/** The suspended node, as its errors name it. */
	node: Pick<INode, 'id' | 'name'>;
	parentExecutionId: string;
	/** The time-out in the settings of the suspended workflow; unset: none, or n8n's own, which is unknown. */
	timeoutSeconds?: number;
	suspendedAt: number;
}

/** What each round changes. */
export interface RunState {
	results: StoredResult[];
	/** All jobs that the suspended node has started or waits for, by their IDs. */
	entries: Record<string, StoredEntry>;
	/** Salted hashes of what is secret in the addresses of browsers: rounds hide it, without knowing it. */
	secretHashes: string[];
	/** What the account's credits must be, and when they were read last. */
	credits?: { limits: CreditLimits; lastReadAt: number };
}

interface StoredEntry {
	facts: EntryFacts;
	policy: PausePolicy;
}

/** The item that passes through the sub-workflow. The first fields are what n8n's own nodes read. */
export interface SuspendedJson {
	waitSeconds: number;
	isDone: boolean;
	/** What the user reads if n8n is killed during a round. Not `error`, which only failures have. */
	message: string;
	/** The jobs that are waited for, as they were last seen. */
	jobs: IDataObject[];
	state: SuspendedState;
}

/** The waits that continue. */
export function waitsIn({ results }: RunState): SuspendedWait[] {
	return results.flatMap(({ outcome }) => ('suspended' in outcome ? outcome.suspended : []));
}

/** What is stored of a run with suspended waits. What it does not know, without a credential, is as before. */
export function toRunState(run: Run, results: ItemResult[], before?: RunState): RunState {
	// All suspended items have the same account.
	const [context] = results.flatMap(({ outcome }) =>
		'suspended' in outcome ? (outcome.suspended.context ?? []) : [],
	);
	const state: RunState = {
		secretHashes: before?.secretHashes ?? [],
		credits: before?.credits,
		...(context && {
			secretHashes: context.client.redactor.secretHashes,
			credits: { limits: context.credits.limits, lastReadAt: context.credits.lastReadAt },
		}),
		results: results.map((result) => toStoredResult(run, result)),
		entries: { ...before?.entries },
	};
	const returned = waitsIn(state).filter(({ options }) => options.returnCdpUrl);
	const withAddress = returned.map(({ wait }) => wait.jobId);
	for (const { facts, policy } of run.ledger.entries) {
		const { jobId } = facts;
		if (jobId === undefined) continue;
		const stored = toStoredFacts(facts, withAddress.includes(jobId));
		state.entries[jobId] = { policy, facts: stored };
	}
	return state;
}

function toStoredResult({ errorContext }: Run, { itemIndex, outcome }: ItemResult): StoredResult {
	if ('error' in outcome) {
		const { message, description } = toSafeText(outcome.error, errorContext);
		const details = { ...outcome.error.details, description };
		return { itemIndex, outcome: { failed: { message, details } } };
	}
	if (!('suspended' in outcome)) return { itemIndex, outcome };
	const { wait, options } = outcome.suspended;
	return { itemIndex, outcome: { suspended: { wait: { ...wait, isSuspended: true }, options } } };
}

/** The address of the job's browser is stored only if the item is to have it. */
function toStoredFacts(facts: EntryFacts, withAddress: boolean): EntryFacts {
	const { state, jobId, started, job, seenAt } = facts;
	const cdp_url = withAddress ? started?.cdp_url : undefined;
	return {
		...{ state, jobId, seenAt },
		started: started && { ...started, cdp_url, body: {} },
		job: job && {
			...{ job_id: job.job_id, status: job.status },
			...{ live_url: job.live_url, history_url: job.history_url, body: {} },
		},
	};
}
