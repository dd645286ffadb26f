import { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { JobMemory, type WorkEnd, type MemoryEntry } from '../../../nodes/jobs/JobMemory';
import { TrackedJob } from '../../../nodes/jobs/TrackedJob';
import { Redactor } from '../../../nodes/service/redact';
import type { Job } from '../../../nodes/service/types';
import { aJob } from '../../support/aJob';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEY = 'item 0';
const RUN = {};
const OTHER_RUN = {};
const REDACTOR = new Redactor('sk-test-1234567890');

let clock: SimulatedClock;
let memory: JobMemory;

beforeEach(() => {
	clock = new SimulatedClock();
	clock.hold();
	memory = new JobMemory(clock);
});

/** Opens an entry whose job was started, and seen like this. */
function openStarted(seen?: Partial<Job>, { key = KEY, user = RUN as object } = {}): MemoryEntry {
	const entry = memory.open(key, user);
	const job = latest(entry);
	job.recordEvent('startSent');
	job.recordStarted({ job_id: 'job_1', status: 'running', body: { job_id: 'job_1' } });
	if (seen !== undefined) job.recordSeen(aJob(seen), REDACTOR);
	return entry;
}

function latest({ jobs }: MemoryEntry): TrackedJob {
	return jobs.at(-1) as TrackedJob;
}

/** The end of a call of a tool. */
function aCall(
	call: Partial<Extract<WorkEnd, { kind: 'call' }>> = {},
	mayBeRetried = false,
): WorkEnd {
	const defaults = { hasExecution: true, isDelivered: true, isSuccess: true, tookMs: 1_000 };
	return { kind: 'call', mayBeRetried, ...defaults, ...call };
}

async function expectKeptFor(ms: number): Promise<void> {
	await clock.advance(ms - 1);
	expect(memory.size).toBe(1);
	await clock.advance(2);
	expect(memory.size).toBe(0);
}

describe('What is remembered of an item is kept', () => {
	it('while a run works with it', async () => {
		const entry = openStarted();
		memory.open(KEY, OTHER_RUN);
		memory.close(entry, RUN, { kind: 'run', mayBeRetried: false });

		await clock.advance(48 * HOUR);

		expect(memory.size).toBe(1);
	});

	it('for an hour if the run may be retried', async () => {
		const entry = openStarted();
		memory.close(entry, RUN, { kind: 'run', mayBeRetried: true });

		await expectKeptFor(HOUR);
	});

	it('no longer after the last try of a run, though an earlier one has failed', () => {
		const entry = openStarted();
		memory.close(entry, RUN, { kind: 'run', mayBeRetried: true });
		memory.open(KEY, OTHER_RUN);

		memory.close(entry, OTHER_RUN, { kind: 'run', mayBeRetried: false });

		expect(memory.size).toBe(0);
	});

	it('for 30 seconds if the call of a tool may be retried', async () => {
		const entry = openStarted({ status: 'completed' });
		memory.close(entry, RUN, aCall({}, true));

		await expectKeptFor(30_000);
	});

	it('not at all after the run of an item', () => {
		const entry = openStarted({ status: 'completed' });

		memory.close(entry, RUN, { kind: 'run', mayBeRetried: false });

		expect(memory.size).toBe(0);
	});

	it('not at all if the caller of a tool was given what it asked for', () => {
		const entry = openStarted({ status: 'completed' });

		memory.close(entry, RUN, aCall());

		expect(memory.size).toBe(0);
	});

	it.each([
		['a day in an execution', true, 24 * HOUR],
		['an hour without one', false, HOUR],
	])('for %s if the caller was not given that', async (_label, hasExecution, ms) => {
		const entry = openStarted({ status: 'running' });
		memory.close(entry, RUN, aCall({ isDelivered: false, isSuccess: false, hasExecution }));

		await expectKeptFor(ms);
	});

	it('not at all if nothing was started', () => {
		const entry = memory.open(KEY, RUN);

		memory.close(entry, RUN, aCall({ isDelivered: false, isSuccess: false }));

		expect(memory.size).toBe(0);
	});

	it('for a day if only the start of the next attempt was refused', async () => {
		const entry = openStarted({ status: 'failed', error: 'A captcha' });
		entry.jobs.push(new TrackedJob(clock));
		memory.close(entry, RUN, aCall({ isDelivered: false, isSuccess: false }));

		await clock.advance(24 * HOUR - 1);

		expect(memory.open(KEY, RUN).jobs[0]?.record).toMatchObject({ job_error: 'A captcha' });
	});

	it('for a day after the last event of its job, though a call ended before it', async () => {
		const entry = openStarted({ status: 'running' });
		memory.close(entry, RUN, aCall({ isDelivered: false, isSuccess: false }));
		await clock.advance(HOUR);
		latest(entry).recordEvent('pauseSent');

		await expectKeptFor(24 * HOUR);
	});

	it('for a day after the end of the last call that worked with it', async () => {
		openStarted({ status: 'running' });
		await clock.advance(HOUR);
		const entry = memory.open(KEY, OTHER_RUN);
		memory.close(entry, RUN, aCall({ isDelivered: false, isSuccess: false }));
		memory.close(entry, OTHER_RUN, aCall({ isDelivered: false, isSuccess: false }));

		await expectKeptFor(24 * HOUR);
	});

	it('no longer because a call was refused', async () => {
		const entry = openStarted({ status: 'running' });
		memory.close(entry, RUN, aCall({ isDelivered: false, isSuccess: false }));
		await clock.advance(HOUR);

		memory.open(KEY, OTHER_RUN);
		memory.close(entry, OTHER_RUN, { kind: 'skippedCall' });

		expect(memory.expiryOf(entry)).toBe(clock.now() + 23 * HOUR);
	});

	it.each([
		['five minutes after a success that took more than a minute', 61_000, 5 * MINUTE],
		['no time after one that took less', 59_000, 0],
	])('without an execution for %s', async (_label, tookMs, ms) => {
		const entry = openStarted({ status: 'completed' });
		memory.close(entry, RUN, aCall({ hasExecution: false, tookMs }));

		if (ms === 0) expect(memory.size).toBe(0);
		else await expectKeptFor(ms);
	});

	it('for these five minutes, too, if another call is retried sooner', async () => {
		const entry = openStarted({ status: 'completed' });
		memory.open(KEY, OTHER_RUN);
		memory.close(entry, RUN, aCall({ hasExecution: false, tookMs: 61_000 }));
		memory.close(entry, OTHER_RUN, aCall({ hasExecution: false }, true));

		await expectKeptFor(5 * MINUTE);
	});

	it('for the retry of one of two equal calls, although the other one has its result', async () => {
		const entry = openStarted({ status: 'running' });
		memory.open(KEY, OTHER_RUN);
		memory.close(entry, RUN, aCall({ isDelivered: false, isSuccess: false }, true));
		memory.close(entry, OTHER_RUN, aCall());

		await expectKeptFor(30_000);
	});
});

describe('What is kept without a run', () => {
	it('is the job, its links and its start, but no output', () => {
		const output = 'x'.repeat(1_000);
		const entry = openStarted({ status: 'completed', output, history_url: 'https://h' });

		memory.close(entry, RUN, aCall({ isDelivered: false }));

		expect(latest(entry).record).toMatchObject({ job_id: 'job_1', history_url: 'https://h' });
		expect(latest(entry).record.start?.body).toEqual({ job_id: 'job_1' });
		expect(latest(entry).ended).toBeUndefined();
	});

	it('is no output that has arrived later either, e.g. with the answer to a pause', () => {
		const entry = openStarted();
		memory.close(entry, RUN, aCall({ isDelivered: false }));
		latest(entry).recordSeen(aJob({ status: 'completed', output: 'Late' }), REDACTOR);

		memory.forgetExpired();

		expect(latest(entry).ended).toBeUndefined();
	});

	it('does not include a large response to the start', () => {
		const entry = memory.open(KEY, RUN);
		latest(entry).recordEvent('startSent');
		latest(entry).recordStarted({ job_id: 'job_1', body: { more: 'x'.repeat(20_000) } });

		memory.close(entry, RUN, aCall({ isDelivered: false }));

		expect(latest(entry).record.start).toEqual({ at: expect.any(Number), body: undefined });
	});
});
