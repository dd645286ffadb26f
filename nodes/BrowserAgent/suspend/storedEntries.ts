import type { Clock } from '../../async/clock';
import type { JobLedger } from '../../jobs/JobLedger';
import type { EntryFacts } from '../../jobs/LedgerEntry';
import type { StoredResult } from '../types';
import { toDate, toTime } from './dates';
import type { StoredEntry, SuspendedState } from './state';

/** What the ledger knows, as it is stored. */
export function toStoredEntries(
	{ entries }: JobLedger,
	results: StoredResult[],
	clock: Clock,
): SuspendedState['entries'] {
	const withAddress = new Set(
		results.flatMap(({ outcome }) =>
			'wait' in outcome && outcome.wait.options.returnCdpUrl === true ? outcome.wait.jobId : [],
		),
	);
	const stored = entries.flatMap(({ facts, policy }): Array<[string, StoredEntry]> => {
		const { state, jobId, started, job } = facts;
		if (jobId === undefined) return [];
		const { status, live_url, history_url } = job ?? {};
		const seen = status === undefined ? undefined : { status, live_url, history_url };
		const sent = started && {
			...started,
			body: {},
			cdp_url: withAddress.has(jobId) ? started.cdp_url : undefined,
			startedAt: toDate(started.startedAt, clock),
		};
		const kept = { state, jobId, started: sent, job: seen && { job_id: jobId, ...seen, body: {} } };
		return [[jobId, { facts: kept, policy }]];
	});
	return Object.fromEntries(stored);
}

/** The same, by this process's clock. */
export function toEntryFacts({ facts }: StoredEntry, clock: Clock): EntryFacts {
	const { started } = facts;
	if (started === undefined) return facts;
	return { ...facts, started: { ...started, startedAt: toTime(started.startedAt, clock) } };
}
