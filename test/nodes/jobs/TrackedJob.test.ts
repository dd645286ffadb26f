import { SimulatedClock } from '../../../dev/engine/SimulatedClock';
import { type JobRecord, TrackedJob } from '../../../nodes/jobs/TrackedJob';
import { Redactor } from '../../../nodes/service/redact';
import { aJob } from '../../support/aJob';

const KEY = 'sk-test-1234567890';
const REDACTOR = new Redactor(KEY);
const START = {
	job_id: 'job_1',
	status: 'provisioning',
	live_url: 'https://service.example/live',
	cdp_url: 'wss://browser.example/1',
	body: { job_id: 'job_1' },
};

let clock: SimulatedClock;

beforeEach(() => {
	clock = new SimulatedClock(1_000);
});

function aStartedJob(): TrackedJob {
	const job = new TrackedJob(clock);
	job.recordEvent('startSent');
	job.recordStarted(START);
	return job;
}

describe('What is known of a job', () => {
	it('is what its start returned, until a status check shows more', () => {
		const { body, ...shown } = START;

		expect(aStartedJob().record).toMatchObject({
			...shown,
			state: 'started',
			start: { at: 1_000, status: 'provisioning', body },
		});
	});

	it('is as last seen, with what its start returned and status checks leave out', () => {
		const job = aStartedJob();

		job.recordSeen(aJob({ status: 'running', live_url: 'https://other.example' }), REDACTOR);

		expect(job.record).toMatchObject({
			status: 'running',
			live_url: 'https://other.example',
			cdp_url: START.cdp_url,
			seenAt: 1_000,
		});
	});

	it('includes why the job failed, safe to show', () => {
		const job = aStartedJob();

		job.recordSeen(aJob({ status: 'failed', error: `No ${KEY}` }), REDACTOR);

		expect(job.record).toMatchObject({ state: 'ended', job_error: 'No [hidden]' });
	});

	it('does not include the status of the request that started a saved workflow', () => {
		const job = new TrackedJob(clock);
		job.recordEvent('startSent');

		job.recordStarted({ ...START, status: 'success' });

		expect(job.record).toMatchObject({ start: { status: 'success' } });
		expect(job.record.status).toBeUndefined();
	});

	it('is that it is paused once the node has paused it, and no longer when that resumes it', () => {
		const job = aStartedJob();

		job.recordEvent('pauseSent');
		job.recordEvent('pauseDone');
		const { status } = job.record;
		job.recordEvent('resumeSent');

		expect([status, job.record.status]).toEqual(['paused', undefined]);
	});

	it.each<[JobRecord['state'], string, JobRecord['state']]>([
		['unsettled', 'running', 'started'],
		['unsettled', 'paused', 'paused'],
		['paused', 'running', 'started'],
		['started', 'paused', 'started'],
		['started', 'user_taken_over', 'started'],
		['paused', 'completed', 'ended'],
	])('changes from %s to %s as a status check shows it: %s', (before, status, after) => {
		const job = new TrackedJob(clock, { state: before, job_id: 'job_1' });

		job.recordSeen(aJob({ status }), REDACTOR);

		expect(job.record.state).toBe(after);
	});
});
