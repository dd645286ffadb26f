import { setUpSandbox } from './setUpSandbox';

describe('Sandbox credits', () => {
	const sandbox = setUpSandbox();

	it.each([
		['o3', 3],
		['vendord/not-in-the-document', 5],
		[null, 5],
	])('are charged per step: %s costs %d', async (model, price) => {
		const script = { steps: 10, durationSeconds: 1000 };
		const jobId = await sandbox.startJob(script, { action_selection_model: model });

		await sandbox.admin.advance(350);
		const running = await sandbox.poll(jobId);
		await sandbox.admin.advance(650);
		const completed = await sandbox.poll(jobId);

		const credit_balance = 10_000 - 3 * price;
		expect(running).toMatchObject({ credits_used: 3 * price, credit_balance });
		expect(completed).toMatchObject({ status: 'completed', credits_used: 10 * price });
	});
});
