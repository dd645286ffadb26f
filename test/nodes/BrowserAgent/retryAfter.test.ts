import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, waitRun } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const MINUTE_MS = 60_000;
// Two minutes, and a moment by which the processes of an account spread their calls.
const LATEST_MS = 125_000;
const AN_HOUR = { 'Retry-After': '3600' };

describe('A Retry-After of an hour', () => {
	it('of a poll delays the next one for two minutes', async () => {
		const jobId = await service.givenJob(['completed']);
		await service.fault('getJob', 429, { headers: AN_HOUR });
		const began = clock.now();

		const { json } = await service.waitForJob(jobId);

		expect(json).toMatchObject([{ status: 'completed' }]);
		expect(clock.now() - began).toBeGreaterThanOrEqual(2 * MINUTE_MS);
		expect(clock.now() - began).toBeLessThan(LATEST_MS);
	});

	it('of a start delays the next one for an hour', async () => {
		await service.fault('startAgent', 429, { headers: AN_HOUR });
		const began = clock.now();

		await service.runAgent({ options: { maxWaitMinutes: 90 } });

		const [, start] = await service.sent('startAgent');
		expect((start?.sandboxMs ?? 0) - began).toBeGreaterThanOrEqual(60 * MINUTE_MS);
	});
});

/** The error of a wait whose running job was not seen at the deadline. */
function notSeen(jobId: string, time: string, reason: string) {
	return {
		message: `The status of job ${jobId} could not be checked at the end of ${time}: ${reason}`,
		description: expect.stringMatching(
			/Its status was last seen \d+ seconds ago: 'running'\. The job may still be running and using credits\./,
		) as string,
	};
}

describe('At the deadline of a wait', () => {
	it('a job is seen completed although a Retry-After forbids calls', async () => {
		const jobId = await service.givenJob({ durationSeconds: 20 });
		await service.fault('getJob', 429, { skip: 1, headers: { 'Retry-After': '120' } });
		const began = clock.now();

		const { json } = await service.waitForJob(jobId, { maxWaitMinutes: 0.5 });

		expect(json).toMatchObject([{ status: 'completed', is_finished: true }]);
		expect(clock.now() - began).toBeLessThan(31_000);
	});

	it('no call is sent that the limit has no room for', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, status: { calls: 2, windowMs: 10 * MINUTE_MS } });
		const jobId = await service.givenJob({ durationSeconds: 20 });
		await service.fault('getJob', 429, { skip: 1, headers: { 'Retry-After': '120' } });
		const began = clock.now();

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes: 0.5 });

		expect(await service.sent('getJob')).toHaveLength(2);
		expect(clock.now() - began).toBe(34_000);
		expect(error).toMatchObject(
			notSeen(jobId, '0.5 minutes', 'rate limit exceeded for this account'),
		);
	});

	it.each<[string, number, string]>([
		['service refuses the call', 429, 'rate limit exceeded for this account'],
		['job is not found', 404, 'the job was not found'],
	])('an error says only what may be of a job that was not seen, as the %s', async (...given) => {
		const jobId = await service.givenJob(['running']);
		await service.fault('getJob', given[1], { skip: 1, times: 'always' });

		const { error } = await service.waitForJob(jobId, { maxWaitMinutes: 0.1 });

		expect(error).toMatchObject(notSeen(jobId, '0.1 minutes', given[2]));
	});

	it('an error does not say that a job that was not seen is taken over', async () => {
		const jobId = await service.givenJob(['user_taken_over']);
		await service.fault('getJob', 503, { skip: 1, times: 'always' });
		const options = { maxWaitMinutes: 0.1, waitWhileTakenOver: true };

		const { error } = await service.run(waitRun([jobId], options));

		expect(error?.description).toContain('The job may still be running and using credits.');
		expect(error?.description).not.toMatch(/The job is|has not ended/);
	});
});
