import { ExecuteContext } from 'n8n-core';

import { runSuspendedOnce } from '../../support/runSuspended';
import { RETRY_ON_FAIL } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const BY_ITEM = {
	apiKey: '={{ $json.key }}',
	input: [
		{ key: 'sandbox-pro-key', task: 'first' },
		{ key: 'sandbox-enterprise-key', task: 'second' },
		{ key: 'sandbox-pro-key', task: 'third' },
	],
};
const TASK = { directive: '={{ $json.task }}' };

describe('A credential by expression', () => {
	it("starts and polls each item's job with the item's own key", async () => {
		const { items } = await service.runAgent(TASK, BY_ITEM);

		const jobs = await service.admin.jobs();
		const polls = await service.requests({ endpoint: 'getJob' });
		const keyOf = (jobId: unknown) => jobs.find(({ job_id }) => job_id === jobId)?.key;
		expect(items.map(({ json }) => keyOf(json.job_id))).toEqual(
			BY_ITEM.input.map(({ key }) => key),
		);
		expect(polls.length).toBeGreaterThanOrEqual(3);
		for (const { headers, jobId } of polls) {
			expect(headers.authorization).toBe(`Bearer ${keyOf(jobId)}`);
		}
	});

	it('checks Minimum Credits once for each account', async () => {
		const { items } = await service.runAgent({ ...TASK, options: { minimumCredits: 1 } }, BY_ITEM);

		const checks = await service.requests({ endpoint: 'getCreditBalance' });
		expect(checks.map(({ headers }) => headers.authorization).sort()).toEqual([
			'Bearer sandbox-enterprise-key',
			'Bearer sandbox-pro-key',
		]);
		expect(items).toHaveLength(3);
	});

	it('pauses each job with its own key', async () => {
		await service.admin.nextJobs([
			{ match: 'first', statuses: ['running'] },
			{ match: 'second', statuses: ['running'] },
		]);

		await service.runAgent(
			{ ...TASK, options: { pauseWhenAbandoned: true, maxWaitMinutes: 0.1, onTimeout: 'return' } },
			{ ...BY_ITEM, input: BY_ITEM.input.slice(0, 2) },
		);

		const pauses = await service.requests({ endpoint: 'pauseJob' });
		expect(pauses.map(({ headers }) => headers.authorization).sort()).toEqual([
			'Bearer sandbox-enterprise-key',
			'Bearer sandbox-pro-key',
		]);
		const jobs = await service.admin.jobs();
		expect(jobs.map(({ status }) => status)).toEqual(['paused', 'paused']);
	});

	it.each([1, 3])(
		'is rejected for suspended waits of %i items, and nothing is sent',
		async (count) => {
			const input = BY_ITEM.input.slice(0, count);

			const { error } = await runSuspendedOnce(service.url, TASK, { ...BY_ITEM, input });

			expect(error).toMatchObject({
				message: expect.stringContaining('is not possible when the credential depends on the item'),
				description: expect.stringContaining('Nothing was started.'),
			});
			expect(await service.requests()).toEqual([]);
		},
	);

	describe('that cannot be read in a further try', () => {
		let readsOfFirstTry: number;

		beforeEach(async () => {
			readsOfFirstTry = 1;
			await service.admin.fault({ endpoint: 'getJob', kind: 'status', status: 403 });
			const { getCredentials } = ExecuteContext.prototype;
			let reads = 0;
			jest.spyOn(ExecuteContext.prototype, 'getCredentials').mockImplementation(async function (
				this: ExecuteContext,
				...args
			) {
				if (++reads > readsOfFirstTry) throw new Error('The database is locked');
				return await getCredentials.apply(this, args);
			});
		});

		it('loses no ID of the first one', async () => {
			const { error } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

			const [job] = await service.admin.jobs();
			expect(error?.message).toBe('The database is locked');
			expect(error?.description).toContain(`Jobs started by this node: ${job?.job_id}.`);
		});

		it('loses no ID with Continue On Fail', async () => {
			const settings = { ...RETRY_ON_FAIL, onError: 'continueRegularOutput' as const };

			const { items } = await service.runAgent({}, { settings });

			const [job] = await service.admin.jobs();
			expect(items[0]?.json).toMatchObject({
				error: 'The database is locked',
				details: { job_id: job?.job_id },
			});
		});

		it('loses no ID with Suspend While Waiting, which reads it once more', async () => {
			readsOfFirstTry = 3;
			const settings = { ...RETRY_ON_FAIL, maxTries: 2, onError: 'continueRegularOutput' as const };

			const { items } = await runSuspendedOnce(service.url, TASK, {
				input: [{ task: 'first' }],
				settings,
			});

			const [job] = await service.admin.jobs();
			expect(items[0]?.json).toMatchObject({
				error: expect.stringContaining("'Suspend While Waiting' is not possible"),
				details: { job_id: job?.job_id },
			});
		});
	});
});
