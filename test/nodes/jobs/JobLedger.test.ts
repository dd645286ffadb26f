import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

import { UserError } from '../../../nodes/errors/UserError';
import { createLedgerStore, JobLedger } from '../../../nodes/jobs/JobLedger';
import { TRANSITIONS, type JobEvent, type JobState } from '../../../nodes/jobs/jobStates';
import { LedgerEntry, type LedgerJob } from '../../../nodes/jobs/LedgerEntry';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import { aJob } from '../../support/aJob';
import { fakeClock } from '../../support/fakeClock';

const PAGE = join(__dirname, '../../../docs/what-happens-to-a-running-job.md');
const EVENTS = [
	...new Set(Object.values(TRANSITIONS).flatMap((events) => Object.keys(events))),
] as JobEvent[];
const POLICY = { onStop: true, whenAbandoned: false };

/** The table in the docs: what each event makes of each state. */
function documentedTransitions(): Record<string, Record<string, string>> {
	const rows = readFileSync(PAGE, 'utf8').match(/^\| `\w+` .*\|$/gm) ?? [];
	return Object.fromEntries(
		rows.map((row) => {
			const [state = '', , events = ''] = row.split('|').slice(1, -1);
			const pairs = [...events.matchAll(/`(\w+)` → `(\w+)`/g)];
			return [
				state.replaceAll(/[ `]/g, ''),
				Object.fromEntries(pairs.map(([, event = '', next = '']) => [event, next])),
			];
		}),
	);
}

/** Lets an entry know of an event, as other modules do. */
function tell(entry: LedgerEntry, event: JobEvent): void {
	const error = new UserError('failed');
	switch (event) {
		case 'started':
			return entry.recordStarted({ job_id: 'job_1', body: {} }, 0);
		case 'startLost':
			return entry.recordStartLost(error);
		case 'watched':
			return entry.recordWatched('job_1');
		case 'seenRunning':
			return entry.recordSeen(aJob({ status: 'running' }));
		case 'seenPaused':
			return entry.recordSeen(aJob({ status: 'paused' }));
		case 'ended':
			return entry.recordSeen(aJob({ status: 'completed' }));
		case 'failed':
			return entry.recordFailed(error);
		default:
			return entry.record(event);
	}
}

function newEntry(): LedgerEntry {
	return new LedgerEntry(fakeClock());
}

describe('An entry of the ledger', () => {
	it('is documented with all its states and transitions', () => {
		expect(documentedTransitions()).toEqual(TRANSITIONS);
	});

	it('changes as the table in the docs says, whatever happens', () => {
		const table = documentedTransitions();
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 30 }), (events) => {
				const entry = newEntry();
				let state: string = 'none';
				for (const event of events) {
					tell(entry, event);
					state = table[state]?.[event] ?? state;
					expect(entry.state).toBe(state);
				}
			}),
			{ numRuns: Number(process.env.MODEL_SEQUENCES ?? 2_000) },
		);
	});

	it('tells its owner as soon as a job is known to be started', () => {
		const entry = newEntry();
		const jobs: LedgerJob[] = [];
		const client = {} as ServiceClient;
		entry.connect({ client, policy: POLICY, onStarted: (job) => jobs.push(job) });

		entry.record('startSent');
		entry.recordStarted({ job_id: 'job_1', status: 'running', body: {} }, 7);

		expect(jobs).toEqual([expect.objectContaining({ job_id: 'job_1', queuedMs: 7 })]);
	});

	it('waits for the request on its way, whether it succeeds or not', async () => {
		const entry = newEntry();
		let fail = (_error: Error) => {};
		entry.recordRequest(new Promise((_resolve, reject) => (fail = reject)));
		const before = entry.hasRequest;

		fail(new Error('lost'));
		await entry.settled();

		expect([before, entry.hasRequest]).toEqual([true, false]);
	});

	it('leaves its owner to the next attempt, and the ledger knows both', () => {
		const ledger = newLedger();
		const first = ledger.entry('0');
		first.connect({ client: {} as ServiceClient, policy: POLICY, onStarted: () => {} });

		const second = first.nextAttempt();

		expect(second.policy).toBe(POLICY);
		expect(first.nextAttempt()).toBe(second);
		expect(ledger.entries).toEqual([first, second]);
	});
});

function newLedger(store = createLedgerStore()): JobLedger {
	return new JobLedger(store, fakeClock(), new AbortController().signal);
}

describe('The ledger', () => {
	it("gives a retry the entries of the run's earlier tries", () => {
		const store = createLedgerStore();
		const first = newLedger(store);
		const entry = first.entry('0');
		first.release();

		const second = newLedger(store);

		expect(second.entry('0')).toBe(entry);
		expect(second.tries).toBe(2);
	});

	it('knows only the entries that its own run has asked for', () => {
		const store = createLedgerStore();
		newLedger(store).entry('call 1');
		const ledger = newLedger(store);

		const entry = ledger.entry('call 2');

		expect(ledger.entries).toEqual([entry]);
	});

	it.each<[JobState[], number]>([
		[['running'], 1],
		[['sending'], 1],
		[['running', 'sending'], 2],
		[['paused'], 0],
	])('finds the entries in the states %j', (states, count) => {
		const ledger = newLedger();
		ledger.entry('0').recordWatched('job_1');
		ledger.entry('1').record('startSent');

		expect(ledger.inState(...states)).toHaveLength(count);
	});

	// Equal calls of a tool share an entry. Whoever has paid for a job must not pay again.
	it('forgets an entry when each run that has asked for it has returned its result', () => {
		const store = createLedgerStore();
		const [one, other] = [newLedger(store), newLedger(store)];
		const entry = one.entry('call');
		other.entry('call');

		one.clear();
		const isKept = store.entries.get('call') === entry;
		other.clear();

		expect(isKept).toBe(true);
		expect(store.entries.size).toBe(0);
	});

	it('keeps an entry for the retry of a run that has failed', () => {
		const store = createLedgerStore();
		const [failing, other] = [newLedger(store), newLedger(store)];
		const entry = failing.entry('call');
		other.entry('call');
		failing.release();
		other.clear();
		other.release();

		const retry = newLedger(store);
		const found = retry.entry('call');
		retry.clear();

		expect(found).toBe(entry);
		expect(store.entries.size).toBe(0);
	});

	it('is in use as long as a run works with it', () => {
		const store = createLedgerStore();
		const [one, other] = [newLedger(store), newLedger(store)];
		const entry = one.entry('call');
		other.entry('call');

		one.release();
		const isInUse = entry.isInUse;
		other.release();

		expect([isInUse, entry.isInUse]).toEqual([true, false]);
	});
});
