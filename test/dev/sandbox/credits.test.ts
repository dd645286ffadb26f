import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, ENTERPRISE, FREE, PRO, startJob } from './client';

const DAY = 24 * 3600;

describe('credits', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true, limits: 'off' });
		client = new Client(sandbox, PRO);
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	it.each([
		['pro', PRO, { unlimited: false, credit_balance: 10_000, message: null }],
		['free', FREE, { unlimited: false, credit_balance: 100, message: null }],
		['enterprise', ENTERPRISE, { unlimited: true, credit_balance: null, next_reset: null }],
	])('are told for the plan %s', async (plan, key, expected) => {
		const { status, data } = await new Client(sandbox, key).balance();

		expect(status).toBe(200);
		expect(data).toMatchObject({ plan, ...expected });
	});

	it('tell when they are reset, and are full again then', async () => {
		const { data } = await client.balance();
		await sandbox.admin.setCredits(PRO, 3);
		const daysLeft = (Date.parse(data.next_reset) - (await sandbox.admin.now())) / 1000 / DAY;
		await sandbox.admin.advance(30 * DAY);
		const after = (await client.balance()).data;

		expect(daysLeft).toBeCloseTo(30, 1);
		expect(after.credit_balance).toBe(10_000);
		expect(Date.parse(after.next_reset) - Date.parse(data.next_reset)).toBe(30 * DAY * 1000);
	});

	it('come with a message once they are used up', async () => {
		await sandbox.admin.setCredits(FREE, 0);

		const { data } = await new Client(sandbox, FREE).balance();

		expect(data).toMatchObject({ credit_balance: 0, message: expect.any(String) });
	});

	it.each([
		['vendorb/vendorb-3-flash-preview', 1],
		['o3', 3],
		['vendora-sonnet-4-20250514', 5],
		['vendorc-4o', 5],
		['vendora-opus-4-1-20250805', 25],
		[null, 5],
	])('are consumed per step: with the model %s, %d each', async (model, price) => {
		const request = { action_selection_model: model };
		const jobId = await startJob(sandbox, client, { steps: 10, durationSeconds: 1000 }, request);

		await sandbox.admin.advance(350);
		const early = (await client.status(jobId)).data;
		await sandbox.admin.advance(650);
		const late = (await client.status(jobId)).data;

		expect(early).toMatchObject({ credits_used: 3 * price, credit_balance: 10_000 - 3 * price });
		expect(late).toMatchObject({ status: 'completed', credits_used: 10 * price });
		expect((await client.balance()).data.credit_balance).toBe(10_000 - 10 * price);
	});

	it('are not consumed by a job without steps', async () => {
		const jobId = await startJob(sandbox, client, { steps: 0 });
		await sandbox.admin.advance(8);

		expect((await client.status(jobId)).data).toMatchObject({
			status: 'completed',
			credits_used: 0,
		});
	});

	it('are not consumed while a job is paused', async () => {
		const jobId = await startJob(sandbox, client, { steps: 10, durationSeconds: 1000 });
		await sandbox.admin.advance(250);
		await client.pause(jobId);
		await sandbox.admin.advance(1000);

		expect((await client.status(jobId)).data.credits_used).toBe(10);
	});

	it('are consumed by workflows too', async () => {
		await client.runWorkflow('wf_daily_report');
		await sandbox.admin.advance(8);

		expect((await client.balance()).data.credit_balance).toBe(9980);
	});

	it('fail the job that runs out of them, and refuse the next one once none are left', async () => {
		const free = new Client(sandbox, FREE);
		const request = { action_selection_model: 'vendora-opus-4-1-20250805' };
		const jobId = await startJob(sandbox, free, { steps: 6, durationSeconds: 600 }, request);

		await sandbox.admin.advance(450);
		const before = (await free.status(jobId)).data;
		await sandbox.admin.advance(50);
		const after = (await free.status(jobId)).data;
		const next = await free.start();

		expect(before).toMatchObject({ status: 'running', credits_used: 100, credit_balance: 0 });
		expect(after).toMatchObject({
			status: 'failed',
			error: expect.stringContaining('credits'),
			output: null,
			credits_used: 100,
		});
		expect(next.status).toBe(402);
	});

	it('are shared by all jobs of an account, in the order in which their steps end', async () => {
		await sandbox.admin.setCredits(PRO, 25);
		const quick = await startJob(sandbox, client, { steps: 4, durationSeconds: 40 });
		const slow = await startJob(sandbox, client, { steps: 4, durationSeconds: 100 });
		await sandbox.admin.advance(200);

		expect((await client.status(quick)).data).toMatchObject({
			status: 'completed',
			credits_used: 20,
		});
		expect((await client.status(slow)).data).toMatchObject({ status: 'failed', credits_used: 5 });
	});

	it('never run out on the enterprise plan', async () => {
		const enterprise = new Client(sandbox, ENTERPRISE);
		const jobId = await startJob(sandbox, enterprise, { steps: 10_000, durationSeconds: 60 });
		await sandbox.admin.advance(60);

		expect((await enterprise.status(jobId)).data).toMatchObject({
			status: 'completed',
			credits_used: 50_000,
			credit_balance: null,
		});
	});
});
