import { ServiceError } from '../../../nodes/errors/ServiceError';
import type { JobFacts } from '../../../nodes/errors/UserError';
import {
	createLedgerStore,
	JobLedger,
	LedgerEntry,
	type JobState,
} from '../../../nodes/jobs/JobLedger';
import type { Job, StartedJob } from '../../../nodes/service/types';
import { fakeClock } from '../../support/fakeClock';

const STARTED: StartedJob = {
	job_id: 'job_1',
	status: 'running',
	live_url: 'live',
	history_url: 'history',
	body: { job_id: 'job_1' },
};

type Step = (entry: LedgerEntry) => unknown;

const send: Step = (entry) => entry.noteSending();
const start: Step = (entry) => entry.noteStarted(STARTED);
const reject: Step = (entry) => entry.noteRejected(new ServiceError({ kind: 'rateLimited' }));
const lose: Step = (entry) => entry.noteRejected(new ServiceError({ kind: 'timeout' }));
const pause: Step = (entry) => (entry.state = 'paused');
const fail: Step = (entry) => {
	entry.sending = Promise.reject(new Error('lost'));
	// Node.js ends a process for a rejection that nobody has handled yet.
	entry.sending.catch(() => {});
};
const finish: Step = (entry) => (entry.state = 'finished');
const watch: Step = (entry) => entry.watch('job_2');

function entryAfter(...steps: Step[]): LedgerEntry {
	const entry = new LedgerEntry(fakeClock());
	for (const step of steps) step(entry);
	return entry;
}

describe('LedgerEntry', () => {
	it.each<[JobState, string, Step[]]>([
		['none', 'nothing was sent', []],
		['sending', 'a start was sent', [send]],
		['running', 'a start was answered with a job', [send, start]],
		['none', 'a start was rejected', [send, reject]],
		['running', 'a start succeeded after a rejected one', [send, reject, send, start]],
		['unclear', 'the answer to a start was lost', [send, lose]],
		['running', 'the user has given a job', [watch]],
		['running', 'the user has given a job again', [watch, watch]],
		['paused', 'the user has given a job that the node has paused', [watch, pause, watch]],
		['finished', 'the user has given a job whose end was seen', [watch, finish, watch]],
	])("is '%s' when %s", (state, _label, steps) => {
		expect(entryAfter(...steps).state).toBe(state);
	});

	it.each<[JobState, string, unknown]>([
		['none', 'an error that proves it', new ServiceError({ kind: 'insufficientCredits' })],
		['none', 'a Stop, since a start is aborted only unsent', new ServiceError({ kind: 'aborted' })],
		['unclear', 'an error that does not prove it', new ServiceError({ kind: 'serverError' })],
		['unclear', 'an error that is not of the service', new Error('rateLimited')],
	])("is '%s' after a start that ended with %s", (state, _label, error) => {
		const entry = entryAfter(send);

		entry.noteRejected(error);

		expect(entry.state).toBe(state);
	});

	it('knows the job that the node has started, and since when', async () => {
		const clock = fakeClock(5_000);
		const entry = new LedgerEntry(clock);

		const started = entry.noteStarted(STARTED);

		expect(started).toEqual({ ...STARTED, startedAt: 5_000 });
		expect(entry.started).toBe(started);
		expect(entry.jobId).toBe('job_1');
	});

	it('knows the job that the user has given', () => {
		const entry = entryAfter(watch);

		expect(entry.jobId).toBe('job_2');
		expect(entry.started).toBeUndefined();
	});

	it.each<[string, Step[], Partial<Job>, JobFacts | undefined]>([
		['nothing without a job', [send], {}, undefined],
		[
			'what the start said',
			[start],
			{},
			{ job_id: 'job_1', status: 'running', live_url: 'live', history_url: 'history' },
		],
		[
			'what was seen since',
			[start],
			{ status: 'completed', live_url: 'new live', history_url: 'new history' },
			{ job_id: 'job_1', status: 'completed', live_url: 'new live', history_url: 'new history' },
		],
		[
			'that the node has paused it',
			[start, pause],
			{ status: 'running' },
			{ job_id: 'job_1', status: 'paused', live_url: 'live', history_url: 'history' },
		],
		['the ID of a job that the user has given', [watch], {}, { job_id: 'job_2' }],
	])('knows of its job %s', (_label, steps, seen, facts) => {
		const entry = entryAfter(...steps);
		if (seen.status !== undefined) entry.job = { job_id: 'job_1', body: {}, ...seen } as Job;

		expect(entry.facts).toEqual(facts);
	});

	it.each([
		['paused', true],
		['running', false],
	])('knows that a job was seen to be %s', (status, isSeenPaused) => {
		const entry = entryAfter(watch);
		entry.job = { job_id: 'job_2', status, body: {} };

		expect(entry.isSeenPaused).toBe(isSeenPaused);
	});

	it('calls back when the job is started, with the job', () => {
		const entry = entryAfter(send);
		const seen: unknown[] = [];
		entry.onStarted = ({ jobId, state, started }) => seen.push([jobId, state, started?.job_id]);

		entry.noteStarted(STARTED);

		expect(seen).toEqual([['job_1', 'running', 'job_1']]);
	});

	it('measures how long a start has waited for its turn', async () => {
		const clock = fakeClock();
		const entry = new LedgerEntry(clock);
		entry.queuedAt = clock.now();

		await clock.advance(4_000);
		entry.noteSending();

		expect(entry.queuedMs).toBe(4_000);
	});

	it('has waited for no time when it never queued', () => {
		expect(entryAfter(send).queuedMs).toBe(0);
	});

	it('pauses no job by default', () => {
		expect(entryAfter().policy).toEqual({ onStop: false, whenAbandoned: false });
		expect(entryAfter().hasPauseFailed).toBe(false);
	});

	it.each<[string, Step]>([
		['was never sent', () => {}],
		['has failed', fail],
	])('is settled when its start %s', async (_label, step) => {
		await expect(entryAfter(step).settled()).resolves.toBeUndefined();
	});

	it('is not settled while its start is on its way', async () => {
		const clock = fakeClock();
		const entry = new LedgerEntry(clock);
		const answer = async () => {
			await clock.sleep(3_000);
			return entry.noteStarted(STARTED);
		};
		entry.sending = answer();
		const began = clock.now();

		await entry.settled();

		expect(clock.now() - began).toBe(3_000);
	});
});

describe('A further attempt of a LedgerEntry', () => {
	it('has a line of its own, always the same one, with the policy and callback of the first', () => {
		const first = entryAfter(send, start);
		first.policy = { onStop: true, whenAbandoned: false };
		first.onStarted = jest.fn();

		const second = first.nextAttempt();
		start(second);

		expect(first.state).toBe('finished');
		expect(first.nextAttempt()).toBe(second);
		expect(first.attempts).toEqual([first, second]);
		expect(second).toMatchObject({ state: 'running', policy: first.policy });
		expect(second.users).toBe(first.users);
		expect(first.onStarted).toHaveBeenCalledWith(second);
	});

	it('is one of the jobs that the ledger lists', () => {
		const ledger = new JobLedger(createLedgerStore(), fakeClock());
		const first = ledger.entry('0');
		first.noteStarted(STARTED);
		first.nextAttempt().noteStarted({ ...STARTED, job_id: 'job_2' });

		expect(ledger.startedJobIds).toEqual(['job_1', 'job_2']);
		expect(ledger.inState('running').map(({ jobId }) => jobId)).toEqual(['job_2']);
	});
});

describe('JobLedger', () => {
	it('counts the tries of a run', () => {
		const store = createLedgerStore();

		const first = new JobLedger(store, fakeClock());
		const triesAtFirst = first.tries;
		const second = new JobLedger(store, fakeClock());

		expect([triesAtFirst, second.tries]).toEqual([1, 2]);
	});

	it('continues with the entry that an earlier try has left', () => {
		const store = createLedgerStore();
		const entry = new JobLedger(store, fakeClock()).entry('0');

		const ledger = new JobLedger(store, fakeClock());

		expect(ledger.entry('0')).toBe(entry);
		expect(ledger.entry('1')).not.toBe(entry);
	});

	it('lists the entries in one of several states', () => {
		const ledger = new JobLedger(createLedgerStore(), fakeClock());
		const [one, two, three] = ['0', '1', '2'].map((key) => ledger.entry(key)) as LedgerEntry[];
		one!.state = 'running';
		two!.state = 'paused';
		three!.state = 'failed';

		expect(ledger.inState('running', 'failed')).toEqual([one, three]);
		expect(ledger.inState('unclear')).toEqual([]);
	});

	it('lists the jobs that the node has started, not those that the user has given', () => {
		const ledger = new JobLedger(createLedgerStore(), fakeClock());
		ledger.entry('0').noteStarted(STARTED);
		ledger.entry('1').watch('job_2');
		ledger.entry('2').noteStarted({ ...STARTED, job_id: 'job_3' });

		expect(ledger.startedJobIds).toEqual(['job_1', 'job_3']);
	});

	it('does not know the entries of other runs that share its store', () => {
		const store = createLedgerStore();
		new JobLedger(store, fakeClock()).entry('other').noteStarted(STARTED);

		const ledger = new JobLedger(store, fakeClock());
		ledger.entry('own');

		expect(ledger.startedJobIds).toEqual([]);
		expect(ledger.inState('running')).toEqual([]);
		expect(ledger.inState('none')).toHaveLength(1);
	});

	it('calls back for each start that is answered from now on and that no other run works with', () => {
		const ledger = new JobLedger(createLedgerStore(), fakeClock());
		const { signal: own } = new AbortController();
		const { signal: other } = new AbortController();
		const entries = ['0', '1', 'shared'].map((key) => ledger.entry(key));
		for (const { users } of entries) users.add(own);
		entries[2]?.users.add(other);
		const seen: LedgerEntry[] = [];
		ledger.release(own);
		ledger.onStarted = (entry) => seen.push(entry);

		for (const entry of entries) entry.noteStarted(STARTED);

		expect(seen).toEqual(entries.slice(0, 2));
	});

	it('is settled when all starts are', async () => {
		const clock = fakeClock();
		const ledger = new JobLedger(createLedgerStore(), clock);
		for (const [key, ms] of [
			['0', 2_000],
			['1', 5_000],
		] as const) {
			const entry = ledger.entry(key);
			entry.noteSending();
			entry.sending = clock.sleep(ms).then(() => entry.noteStarted(STARTED));
		}
		const began = clock.now();

		await ledger.settled();

		expect(clock.now() - began).toBe(5_000);
		expect(ledger.inState('running')).toHaveLength(2);
	});

	it('forgets its own run, and no other one', () => {
		const store = createLedgerStore();
		const other = new JobLedger(store, fakeClock()).entry('other');
		const ledger = new JobLedger(store, fakeClock());
		const own = ledger.entry('own');

		ledger.clear();

		const next = new JobLedger(store, fakeClock());
		expect(next.entry('other')).toBe(other);
		expect(next.entry('own')).not.toBe(own);
	});

	it('forgets an entry once all runs that work with it at the same time have returned', () => {
		const store = createLedgerStore();
		const [first, second] = [new JobLedger(store, fakeClock()), new JobLedger(store, fakeClock())];
		const entry = first.entry('equal');
		entry.users.add(new AbortController().signal);
		second.entry('equal');

		first.clear();
		const isKept = store.entries.get('equal') === entry;
		second.clear();

		expect(isKept).toBe(true);
		expect(store.entries.size).toBe(0);
	});

	it('forgets an entry when a further try of the run returns it', () => {
		const store = createLedgerStore();
		new JobLedger(store, fakeClock()).entry('own');
		const furtherTry = new JobLedger(store, fakeClock());
		furtherTry.entry('own');

		furtherTry.clear();

		expect(store.entries.size).toBe(0);
	});

	it('forgets an entry that two items of the run share', () => {
		const store = createLedgerStore();
		const ledger = new JobLedger(store, fakeClock());
		ledger.entry('equal').users.add(new AbortController().signal);
		ledger.entry('equal');

		ledger.clear();

		expect(store.entries.size).toBe(0);
	});
});
