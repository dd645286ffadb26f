import type { AdminClient } from '../../../dev/sandbox/AdminClient';
import { startSandbox } from '../../../dev/sandbox/startSandbox';
import type { Fault } from '../../../dev/sandbox/types';
import { ENTERPRISE, PRO, setUpSandbox } from './setUpSandbox';

let realMs = 1_700_000_000_000;
const sandbox = setUpSandbox({ realNow: () => realMs, timeScale: 1000 });

describe('Sandbox request log', () => {
	it('has the requests with their bodies and the status of their responses', async () => {
		const body = { directive: 'Look around', browser_config: { width: 800 } };
		const { job_id: jobId } = (await sandbox.client.start(body)).data;
		await sandbox.admin.advance(5);
		await sandbox.client.status(`${jobId}?verbose=1`);
		await sandbox.client.status('a/b');
		await sandbox.client.start('{"directive":');

		const [start, poll, unknown, broken] = await sandbox.admin.requests();

		expect(start).toEqual({
			id: 1,
			realMs,
			sandboxMs: realMs,
			method: 'POST',
			path: '/v1/run_browser_agent',
			endpoint: 'startAgent',
			jobId,
			headers: expect.objectContaining({ 'content-type': 'application/json' }),
			body,
			answered: 200,
		});
		const path = `/v1/get_job_status/${jobId}?verbose=1`;
		expect(poll).toMatchObject({ sandboxMs: realMs + 5_000, path, endpoint: 'getJob', jobId });
		expect(poll).not.toHaveProperty('body');
		expect(unknown).toMatchObject({ endpoint: 'unknown', answered: 404 });
		expect(broken).toMatchObject({ body: expect.stringContaining('directive'), answered: 422 });
	});

	it('can be filtered by endpoint, job and sequence number', async () => {
		const [first, second] = [await sandbox.startJob(), await sandbox.startJob()];
		await sandbox.client.status(first);
		await sandbox.client.status(second);
		const { admin } = sandbox;

		const results = [
			await admin.requests({ endpoint: 'getJob' }),
			await admin.requests({ jobId: first }),
			await admin.requests({ endpoint: 'getJob', since: 3 }),
		];

		expect(results.map((found) => found.map(({ id }) => id))).toEqual([[3, 4], [1, 3], [4]]);
	});
});

describe('Sandbox admin API', () => {
	it('returns what is known about a job', async () => {
		const request = { action_selection_model: 'o3', browser_config: { height: 600 } };
		const jobId = await sandbox.startJob({ durationSeconds: 10, steps: 2 }, request);
		const startedAt = realMs;
		await sandbox.client.pause(jobId);
		await sandbox.client.resume(jobId);
		realMs += 10;
		await sandbox.client.status(jobId);

		const job = await sandbox.admin.job(jobId);

		expect(job).toEqual({
			job_id: jobId,
			key: PRO,
			user_id: expect.stringMatching(/^user_/),
			kind: 'agent',
			directive: 'Look around',
			model: 'o3',
			status: 'completed',
			isFinished: true,
			steps: 2,
			stepsDone: 2,
			creditsUsed: 6,
			startedAt,
			endedAt: startedAt + 10_000,
			polls: 1,
			pauses: 1,
			resumes: 1,
			request: { directive: 'Look around', ...request },
		});
		expect(await sandbox.admin.jobs()).toEqual([job]);
	});

	it('counts requests and what they did', async () => {
		const jobId = await sandbox.startJob();
		await sandbox.client.start({});
		await sandbox.client.status('job_none');
		await sandbox.client.pause(jobId);
		await sandbox.client.pause(jobId);
		await sandbox.client.resume(jobId);

		const counters = await sandbox.admin.counters();

		expect(counters).toMatchObject({ starts: 1, polls: 1, pauses: 1, resumes: 1, faults: 0 });
		expect(counters.requests).toMatchObject({
			startAgent: 2,
			getJob: 1,
			pauseJob: 2,
			resumeJob: 1,
		});
		expect(counters.maxInWindow).toEqual({ starts: 2, polls: 1, balances: 0 });
	});

	it('resets the whole state', async () => {
		await sandbox.startJob();
		await sandbox.admin.nextJob({ outcome: 'failed' });
		await sandbox.admin.fault({ endpoint: '*', kind: 'status', times: 'always' });
		await sandbox.admin.setLimits({ limits: { startsPerWindow: 0 } });
		await sandbox.admin.setCredits(PRO, 1);
		await sandbox.admin.advance(1_000_000);

		await sandbox.admin.reset();

		expect(await sandbox.admin.now()).toBe(realMs);
		expect([await sandbox.admin.jobs(), await sandbox.admin.requests()]).toEqual([[], []]);
		expect((await sandbox.admin.counters()).starts).toBe(0);
		const jobId = (await sandbox.client.start()).data.job_id;
		await sandbox.admin.advance(8);
		expect(await sandbox.poll(jobId)).toMatchObject({ status: 'completed', credit_balance: 9980 });
	});

	it.each<[string, (admin: AdminClient) => Promise<unknown>, string]>([
		[
			'script field',
			(admin) => admin.nextJob({ status: 'x' } as object),
			"Unrecognized key(s) in object: 'status'",
		],
		[
			'fault endpoint',
			(admin) => admin.fault(fault({ endpoint: 'x' })),
			'endpoint: Invalid enum value',
		],
		['fault kind', (admin) => admin.fault(fault({ kind: 'x' })), 'kind: Invalid enum value'],
		[
			'fault field',
			(admin) => admin.fault(fault({ delay: 5 })),
			"Unrecognized key(s) in object: 'delay'",
		],
		['job', (admin) => admin.job('job_none'), 'There is no job job_none'],
		['key', (admin) => admin.setCredits('none', 1), 'There is no account'],
		['account', (admin) => admin.setCredits(ENTERPRISE, 1), 'unlimited credits'],
		['time', (admin) => admin.advance(-1), 'Time can only be advanced'],
		['time scale', () => startSandbox({ timeScale: 0 }), 'time scale must be above 0'],
	])('rejects an invalid %s', async (_label, call, message) => {
		await expect(call(sandbox.admin)).rejects.toThrow(message);
	});
});

/** A fault with values that its type does not allow. */
function fault(fields: Record<string, unknown>): Fault {
	return { endpoint: 'getJob', kind: 'delay', ...fields } as Fault;
}
