import type { Clock } from '../../async/clock';
import { toSafeText } from '../../errors/toNodeError';
import type { CreditMonitor } from '../../jobs/CreditMonitor';
import type { EntryFacts, LedgerEntry } from '../../jobs/LedgerEntry';
import type { JobWait } from '../../jobs/waitForJob';
import type { ItemResult, Run, StoredResult } from '../types';
import type { StoredEntry, StoredWait, SuspendedState } from './state';

type Stored = Pick<SuspendedState, 'results' | 'entries' | 'credits' | 'secretHashes'>;

/**
 * What is stored of a run whose waits, or some of them, are suspended. What this run doesn't know, since
 * it had no credential or no wait is left, is as `before`.
 */
export function toStored(run: Run, results: ItemResult[], before?: SuspendedState): Stored {
	const { clock, ledger } = run;
	const stored = results.map((result) => toStoredResult(run, result));
	const withAddress = new Set(
		stored.flatMap(({ outcome }) =>
			'wait' in outcome && outcome.wait.options.returnCdpUrl === true ? outcome.wait.jobId : [],
		),
	);
	const entries = ledger.entries.flatMap((entry): Array<[string, StoredEntry]> => {
		const { jobId } = entry.facts;
		if (jobId === undefined) return [];
		return [[jobId, toStoredEntry(entry, clock, withAddress.has(jobId))]];
	});
	// All suspended items have the same account.
	const [context] = results.flatMap(({ outcome }) =>
		'suspended' in outcome ? outcome.suspended.context : [],
	);
	return {
		results: stored,
		entries: { ...before?.entries, ...Object.fromEntries(entries) },
		credits: context ? toStoredCredits(context.credits, clock) : before?.credits,
		secretHashes: context?.client.secretHashes ?? before?.secretHashes ?? [],
	};
}

/** The wait, by this process's clock. */
export function toJobWait(
	{ jobId, waitBeganDate, deadlineDate, isLimitedByWorkflow, options }: StoredWait,
	startedAt: number | undefined,
	clock: Clock,
): JobWait {
	return {
		jobId,
		startedAt,
		waitBegan: toTime(waitBeganDate, clock),
		deadline: toTime(deadlineDate, clock),
		isSuspended: true,
		isLimitedByWorkflow,
		options: options.wait,
	};
}

/** What the ledger knew of a job, by this process's clock. */
export function toEntryFacts(facts: StoredEntry['facts'], clock: Clock): EntryFacts {
	const { started, seenAt } = facts;
	return {
		...facts,
		started: started && { ...started, startedAt: toTime(started.startedAt, clock) },
		seenAt: seenAt && toTime(seenAt, clock),
	};
}

/** A date, in ms since 1970, as the clock's time. */
export function toTime(date: number, clock: Clock): number {
	return date - clock.date() + clock.now();
}

function toDate(time: number, clock: Clock): number {
	return time - clock.now() + clock.date();
}

function toStoredResult(
	{ clock, errorContext }: Run,
	{ itemIndex, outcome }: ItemResult,
): StoredResult {
	if ('error' in outcome) {
		const { message, description } = toSafeText(outcome.error, errorContext);
		const details = { ...outcome.error.details, description };
		return { itemIndex, outcome: { failed: { message, details } } };
	}
	if (!('suspended' in outcome)) return { itemIndex, outcome };
	const { wait, options } = outcome.suspended;
	const { jobId, isLimitedByWorkflow } = wait;
	const stored = {
		jobId,
		isLimitedByWorkflow,
		waitBeganDate: toDate(wait.waitBegan, clock),
		deadlineDate: toDate(wait.deadline, clock),
		options,
	};
	return { itemIndex, outcome: { wait: stored } };
}

/** The address of the job's browser is stored only if the item is to have it. */
function toStoredEntry(
	{ facts, policy }: LedgerEntry,
	clock: Clock,
	withAddress: boolean,
): StoredEntry {
	const { state, jobId = '', started, job, seenAt } = facts;
	const storedStart = started && {
		...started,
		body: {},
		cdp_url: withAddress ? started.cdp_url : undefined,
		startedAt: toDate(started.startedAt, clock),
	};
	const { status, live_url, history_url } = job ?? {};
	const storedJob =
		status === undefined ? undefined : { job_id: jobId, status, live_url, history_url, body: {} };
	const storedFacts = { state, jobId, started: storedStart, job: storedJob };
	return { policy, facts: { ...storedFacts, seenAt: seenAt && toDate(seenAt, clock) } };
}

function toStoredCredits(
	{ limits: { threshold }, lastReadAt }: CreditMonitor,
	clock: Clock,
): Stored['credits'] {
	if (threshold === undefined) return undefined;
	return { threshold, lastReadDate: toDate(lastReadAt, clock) };
}
