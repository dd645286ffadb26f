import { CreditMonitor } from '../../jobs/CreditMonitor';
import type { JobContext } from '../../jobs/JobContext';
import { connectEntry } from '../connectEntry';
import { createContext } from '../createContext';
import type { Run } from '../types';
import { toTime } from './dates';
import type { SuspendedState } from './state';
import { toEntryFacts } from './storedEntries';

/** Enters all jobs of a suspended run, those of finished items, too: a Stop may have to pause them. */
export async function restoreLedger(run: Run, state: SuspendedState) {
	const { clock, ledger } = run;
	const client = await run.clients.clientFor(0);
	const { threshold, lastReadDate, tooFew } = state.credits ?? {};
	const lastReadAt = lastReadDate === undefined ? undefined : toTime(lastReadDate, clock);
	const credits = new CreditMonitor(run, client, { threshold }, lastReadAt);
	if (tooFew !== undefined) ledger.lowAccounts.add(client.account);
	const contexts = new Map<string, JobContext>();
	for (const [jobId, stored] of Object.entries(state.entries)) {
		const entry = ledger.entry(jobId, toEntryFacts(stored, clock));
		connectEntry(run, entry, client, stored.policy);
		client.hideUrl(entry.facts.started?.cdp_url, jobId);
		contexts.set(jobId, createContext(run, entry, credits));
	}
	const contextOf = (jobId: string) => contexts.get(jobId) as JobContext;
	return { credits, contextOf };
}
