import { createWork, type WorkParts } from '../../../dev/engine/createWork';
import { SimulatedAccount } from '../../../dev/engine/SimulatedAccount';
import { pauseJob, resumeIfPaused, shouldPause, type PauseReason } from '../../../nodes/jobs/pause';
import type { JobRecord } from '../../../nodes/jobs/TrackedJob';
import type { PausePolicy } from '../../../nodes/jobs/JobTask';
import type { Work } from '../../../nodes/jobs/Work';
import { waitFor } from '../../support/waitFor';

const account = new SimulatedAccount();

/** The work of an item whose job was started, and last seen as `status`. */
function workOn(record: Partial<JobRecord> = {}, parts: Partial<WorkParts> = {}): Work {
	const job: JobRecord = { state: 'started', job_id: 'job_1', status: 'running', ...record };
	return createWork({ clock: account.clock, client: account.connect(), job, ...parts });
}

describe('A job that is no longer waited for is paused', () => {
	const REASONS: PauseReason[] = ['stopped', 'failed', 'returned'];
	it.each<[PausePolicy, PauseReason[]]>([
		['never', []],
		['onStop', ['stopped']],
		['onEarlyEnd', REASONS],
	])("with '%s' if the wait was %j", (policy, expected) => {
		const work = workOn({}, { pauseJob: policy });

		expect(REASONS.filter((reason) => shouldPause(work, reason))).toEqual(expected);
	});

	it.each(['paused', 'user_taken_over'])(
		'after a Stop only, if a user has left it %s',
		(status) => {
			const work = workOn({ status }, { pauseJob: 'onEarlyEnd' });

			expect(REASONS.filter((reason) => shouldPause(work, reason))).toEqual(['stopped']);
		},
	);

	it('not after a failure that n8n certainly retries', () => {
		const work = workOn({}, { pauseJob: 'onEarlyEnd', isRetryCertain: () => true });

		expect(REASONS.filter((reason) => shouldPause(work, reason))).toEqual(['stopped', 'returned']);
	});

	it('once more if it is unknown what became of the last pause', () => {
		expect(shouldPause(workOn({ state: 'unsettled' }, { pauseJob: 'onStop' }), 'stopped')).toBe(
			true,
		);
	});

	it.each(['none', 'starting', 'unclear', 'paused', 'ended'] as const)(
		'not in the state %s',
		(state) => {
			const work = workOn({ state }, { pauseJob: 'onEarlyEnd' });

			expect(REASONS.filter((reason) => shouldPause(work, reason))).toEqual([]);
		},
	);
});

it('A pause whose tries a retry has ended is begun anew after its last try', async () => {
	const work = workOn({ job_id: account.givenJob().id });
	let endTry = () => {};
	work.job.recordRequest(new Promise<void>((resolve) => (endTry = resolve)), new AbortController());
	work.job.endTries();
	const pausing = pauseJob(work);

	endTry();

	await pausing;
	expect(work.job.record.state).toBe('paused');
});

it('A pause waits for the response to a resume, which a Stop does not abort', async () => {
	const stop = new AbortController();
	const work = workOn({ job_id: account.givenJob().id }, { signal: stop.signal });
	await pauseJob(work);
	const { resumeJob } = work.client;
	let sendResume = () => {};
	const arrived = new Promise<void>((resolve) => (sendResume = resolve));
	const sent = jest.spyOn(work.client, 'resumeJob').mockImplementation(async (...args) => {
		await arrived;
		return await resumeJob.apply(work.client, args);
	});
	const { resumeJob: resumesBefore, pauseJob: pausesBefore } = account.requests;
	const resuming = resumeIfPaused(work);
	await waitFor(() => expect(sent).toHaveBeenCalled());

	stop.abort();
	await resuming;
	const pausing = pauseJob(work);
	const isPausing = work.job.isPausing;
	sendResume();
	await pausing;

	expect(isPausing).toBe(true);
	expect(work.job.record.state).toBe('paused');
	expect(account.requests.resumeJob - resumesBefore).toBe(1);
	expect(account.requests.pauseJob - pausesBefore).toBe(1);
});

it('A resume is not sent again after a Stop, although there is a new key', async () => {
	const stop = new AbortController();
	const work = workOn({ job_id: account.givenJob().id }, { signal: stop.signal });
	await pauseJob(work);
	account.fault({ endpoint: 'resumeJob', kind: 'status', status: 401 });
	let endRead = (_hasNewKey: boolean) => {};
	const reading = new Promise<boolean>((resolve) => (endRead = resolve));
	const read = jest.spyOn(work.client, 'hasNewKey').mockReturnValue(reading);
	const { resumeJob: resumesBefore } = account.requests;
	const resuming = resumeIfPaused(work);
	await waitFor(() => expect(read).toHaveBeenCalled());

	stop.abort();
	await resuming;
	endRead(true);
	await pauseJob(work);

	expect(account.requests.resumeJob - resumesBefore).toBe(1);
	expect(work.job.record.state).toBe('paused');
});

describe('A retry that can not continue with a paused job', () => {
	it('completes the pause that it has interrupted', async () => {
		const work = workOn({ job_id: account.givenJob().id });
		account.fault({ endpoint: 'pauseJob', kind: 'status', status: 503 });
		await pauseJob(work);
		account.fault({ endpoint: 'getJob', kind: 'status', status: 404 });

		await expect(resumeIfPaused(work)).rejects.toThrow('was not found');

		await waitFor(() => expect(work.job.record.state).toBe('paused'));
	});

	it('sends no other pause if the service has certainly not resumed it', async () => {
		const work = workOn({ job_id: account.givenJob().id }, { pauseJob: 'onEarlyEnd' });
		await pauseJob(work);
		const { pauseJob: pausesBefore } = account.requests;
		account.fault({ endpoint: 'resumeJob', kind: 'status', status: 429, times: 3 });

		await expect(resumeIfPaused(work)).rejects.toThrow('Rate limit exceeded');

		expect(work.job.record.state).toBe('paused');
		expect(account.requests.pauseJob).toBe(pausesBefore);
	});
});
