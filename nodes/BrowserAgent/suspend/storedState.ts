import type { Clock } from '../../async/clock';
import type { EntryFacts, LedgerEntry } from '../../jobs/LedgerEntry';
import type { JobWait } from '../../jobs/waitForJob';
import type { ItemResult, Run, StoredResult } from '../types';
import type { StoredEntry, StoredWait, SuspendedState } from './state';

type Stored = Pick<SuspendedState, 'results' | 'entries' | 'credits'>;

/** What is stored of a run whose waits, or some of them, are suspended. */
export function toStored({ clock, ledger }: Run, results: ItemResult[]): Stored {
	const stored = results.map((result) => toStoredResult(result, clock));
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
	return {
		results: stored,
		entries: Object.fromEntries(entries),
		credits: toStoredCredits(results, clock),
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

function toStoredResult({ itemIndex, outcome }: ItemResult, clock: Clock): StoredResult {
	if ('error' in outcome) {
		const { message, details } = outcome.error;
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

/** All suspended items have the same account. */
function toStoredCredits(results: ItemResult[], clock: Clock): Stored['credits'] {
	const [credits] = results.flatMap(({ outcome }) =>
		'suspended' in outcome ? outcome.suspended.context.credits : [],
	);
	const { threshold } = credits?.limits ?? {};
	if (credits === undefined || threshold === undefined) return undefined;
	return { threshold, lastReadDate: toDate(credits.lastReadAt, clock) };
}
