import { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { JobLedger, type LedgerRun } from '../../../nodes/jobs/JobLedger';
import type { LedgerEntry } from '../../../nodes/jobs/LedgerEntry';
import type { ServiceClient } from '../../../nodes/service/ServiceClient';
import type { Job } from '../../../nodes/service/types';
import { aJob } from '../../support/aJob';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ENDED = false;
const FAILED = true;

const TOOL: LedgerRun = {
	scope: 'tool',
	sharesCalls: true,
	hasExecution: true,
	hasRetryOnFail: false,
};
const MCP: LedgerRun = { ...TOOL, hasExecution: false };
const ITEM: LedgerRun = { ...TOOL, sharesCalls: false };

let clock: SimulatedClock;
let ledger: JobLedger;

beforeEach(() => {
	clock = new SimulatedClock();
	clock.hold();
	ledger = new JobLedger(clock);
});

function claim(entry: LedgerEntry, { waitsForEnd = true } = {}): void {
	const client = { redactor: { toPlainText: (text: string) => text } } as unknown as ServiceClient;
	entry.claim({ client, pausePolicy: 'never', waitsForEnd, onStarted: () => {} });
}

/** Opens a run, and records that it has started a job. */
function openStarted(run: LedgerRun, key = 'call') {
	const opened = ledger.openRun(run);
	const entry = opened.openEntry(key);
	claim(entry);
	entry.record('startSent');
	entry.recordStarted({ job_id: 'job_1', status: 'running', body: {} });
	return { opened, entry };
}

/** A run whose job was started, and which has seen it like this. */
function play(
	run: LedgerRun,
	job?: Partial<Job>,
	{ key = 'call', hasFailed = ENDED } = {},
): LedgerEntry {
	const { opened, entry } = openStarted(run, key);
	if (job !== undefined) entry.recordSeen(aJob(job));
	opened.close(hasFailed);
	return entry;
}

describe('An entry is kept', () => {
	it('for 30 seconds if the run failed and will be retried', async () => {
		const opened = ledger.openRun({ ...ITEM, hasRetryOnFail: true });
		opened.openEntry('call');
		opened.close(FAILED);

		await clock.advance(29_999);
		expect(ledger.size).toBe(1);
		await clock.advance(2);
		expect(ledger.size).toBe(0);
	});

	it('not at all if the run of an item has ended', () => {
		play(ITEM, { status: 'completed' });

		expect(ledger.size).toBe(0);
	});

	it('not at all if the caller of a tool was given the end of its job', () => {
		play(TOOL, { status: 'completed' });
		play(TOOL, { status: 'failed' });

		expect(ledger.size).toBe(0);
	});

	it('not at all if a start was certainly not carried out', () => {
		const opened = ledger.openRun({ ...TOOL, hasRetryOnFail: true });
		claim(opened.openEntry('call'));
		opened.close(FAILED);

		expect(ledger.size).toBe(0);
	});

	it('for five minutes after an answer that took long, whatever an equal call took', async () => {
		const { opened: long, entry } = openStarted(MCP);
		await clock.advance(61_000);
		const short = ledger.openRun(MCP);
		short.openEntry('call');
		entry.recordSeen(aJob({ status: 'completed' }));
		long.close(ENDED);
		short.close(ENDED);

		await clock.advance(5 * MINUTE - 1);

		expect(ledger.size).toBe(1);
	});

	it.each([
		['a day in an execution', TOOL, 24 * HOUR],
		['an hour without one', MCP, HOUR],
	])('for %s if the caller was not given the end of the job', async (_label, run, ms) => {
		play(run, { status: 'running' });

		await clock.advance(ms - 1);
		expect(ledger.size).toBe(1);
		await clock.advance(2);
		expect(ledger.size).toBe(0);
	});

	it.each([
		['five minutes after an answer that took more than a minute', 61_000, 5 * MINUTE],
		['no time after an answer that took less', 59_000, 0],
	])('without an execution for %s', async (_label, tookMs, ms) => {
		const { opened, entry } = openStarted(MCP);
		await clock.advance(tookMs);
		entry.recordSeen(aJob({ status: 'completed' }));
		opened.close(ENDED);

		await clock.advance(Math.max(0, ms - 1));
		expect(ledger.size).toBe(ms === 0 ? 0 : 1);
		await clock.advance(2);
		expect(ledger.size).toBe(0);
	});

	it('no longer because an equal call asks for it again', async () => {
		const opened = ledger.openRun(MCP);
		const entry = opened.openEntry('call');
		claim(entry);
		entry.record('startSent');
		entry.record('startLost');
		opened.close(FAILED);
		await clock.advance(HOUR / 2);

		const again = ledger.openRun(MCP);
		again.openEntry('call');
		expect(again.keptUntil(entry)).toBe(clock.now() + HOUR / 2);
		again.close(FAILED);

		await clock.advance(HOUR / 2 + 1);
		expect(ledger.size).toBe(0);
	});
});

describe('A call of a tool', () => {
	it('leaves its failed attempt to an equal call when the next start was refused', () => {
		const { opened, entry } = openStarted(TOOL);
		entry.recordSeen(aJob({ status: 'failed', error: 'A captcha' }));
		entry.nextAttempt();
		opened.close(FAILED);

		const again = ledger.openRun(TOOL).openEntry('call');

		expect(again.previousJobs).toMatchObject([{ job_id: 'job_1', job_error: 'A captcha' }]);
	});

	it('keeps its client when a pause of an earlier call ends', async () => {
		let endPause = () => {};
		const entry = play(TOOL, { status: 'running' });
		entry.recordRequest(new Promise<void>((resolve) => (endPause = resolve)));
		const first = ledger.openRun(TOOL);
		claim(first.openEntry('call'));
		first.close(FAILED);
		const second = ledger.openRun(TOOL);
		claim(second.openEntry('call'));
		const pausedAgain = entry.pendingRequest?.then(() => entry.owner);
		second.close(FAILED);

		endPause();

		expect(await pausedAgain).toBeDefined();
	});
});

describe('What an entry keeps after its run', () => {
	it('is the job, its links and why it failed, but no output', () => {
		const entry = play(TOOL, { status: 'running', output: 'x', history_url: 'https://h' });

		expect(entry.known).toMatchObject({
			state: 'running',
			jobId: 'job_1',
			job: { status: 'running', history_url: 'https://h' },
		});
		expect(entry.known.job?.output).toBeUndefined();
	});

	it('is not the client, which holds a whole execution', async () => {
		const entry = play(TOOL, { status: 'running' });
		await clock.advance(0);

		expect(entry.owner).toBeUndefined();
	});
});

describe('The memory of the ledger', () => {
	it('is small for 1,000 calls whose caller was not given their output of 1 MB', () => {
		const before = process.memoryUsage().heapUsed;
		for (let call = 0; call < 1_000; call++) {
			const output = `${call} ${'x'.repeat(1_000)}`.repeat(1_000);
			play(MCP, { status: 'running', output, body: { output } }, { key: String(call) });
		}

		expect(ledger.size).toBe(1_000);
		expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
	});
});
