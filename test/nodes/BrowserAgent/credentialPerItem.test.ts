import { ExecuteContext } from 'n8n-core';
import type { INode } from 'n8n-workflow';

import { CONTINUE, RETRY_AND_CONTINUE, RETRY_ON_FAIL } from '../../support/runNode';
import { waitFor } from '../../support/waitFor';
import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const INPUT = [
	{ key: 'sandbox-pro-key', task: 'first' },
	{ key: 'sandbox-enterprise-key', task: 'second' },
	{ key: 'sandbox-pro-key', task: 'third' },
];
const BY_ITEM = { apiKey: '={{ $json.key }}', input: INPUT };

describe('A credential by expression', () => {
	it("starts, polls and pauses each item's job with the item's own key", async () => {
		await service.admin.nextJobs(Array<string[]>(3).fill(['running']));
		const options = {
			pauseJob: 'onEarlyEnd',
			maxWaitMinutes: 0.1,
			returnInsteadOfFailing: ['timeout'],
		};

		const { json } = await service.runTasks([], { options }, BY_ITEM);

		const jobs = await service.admin.jobs();
		const keyOf = (jobId: unknown) => jobs.find(({ job_id }) => job_id === jobId)?.key;
		const requests = [...(await service.sent('getJob')), ...(await service.sent('pauseJob'))];
		expect(json.map(({ job_id }) => keyOf(job_id))).toEqual(INPUT.map(({ key }) => key));
		expect(json.map(({ status }) => status)).toEqual(Array(3).fill('paused'));
		for (const { headers, jobId } of requests) {
			expect(headers.authorization).toBe(`Bearer ${keyOf(jobId)}`);
		}
	});

	it.each([1, 3])(
		'is rejected for suspended waits of %i items, and nothing is sent',
		async (count) => {
			const input = INPUT.slice(0, count);

			const { error } = await service.suspendAgent({}, { ...BY_ITEM, input }).finished;

			expect(error).toMatchObject({
				message: expect.stringContaining(
					"can't be used with a credential that depends on the item",
				),
				description: expect.stringContaining('This run has started nothing.'),
			});
			expect(await service.requests()).toEqual([]);
		},
	);
});

describe('A credential by expression whose key is missing for the second item', () => {
	const input = [{ key: 'sandbox-pro-key', task: 'first' }, { task: 'second' }];
	const WITHOUT_KEY = { ...BY_ITEM, input };

	it('fails before a job is started for the first one', async () => {
		const { error } = await service.runTasks([], {}, WITHOUT_KEY);

		expect(error).toMatchObject({ message: "'API Key' is empty", context: { itemIndex: 1 } });
		expect(await service.requests()).toEqual([]);
	});

	it('fails only that one with Continue On Fail', async () => {
		const { json } = await service.runTasks([], {}, { ...WITHOUT_KEY, settings: CONTINUE });

		expect(json).toMatchObject([{ status: 'completed' }, { error: "'API Key' is empty" }]);
	});

	it('does not keep Service: Get Health from its answer', async () => {
		const health = { resource: 'service', operation: 'getHealth' };

		const { json } = await service.run({ ...health, ...WITHOUT_KEY });

		expect(json).toMatchObject([{ healthy: true }, { healthy: true }]);
	});
});

describe('When the credential cannot be read on a retry', () => {
	const TIMED_OUT = { maxWaitMinutes: 0.5 };

	/** The job doesn't end in time. These reads of the credential succeed, counted from 1. */
	async function givenReads(succeeds: (read: number) => boolean): Promise<void> {
		await service.admin.nextJob(['running']);
		const { getCredentials } = ExecuteContext.prototype;
		let reads = 0;
		jest.spyOn(ExecuteContext.prototype, 'getCredentials').mockImplementation(async function (
			this: ExecuteContext,
			...args
		) {
			if (!succeeds(++reads)) throw new Error('The database is locked');
			return await getCredentials.apply(this, args);
		});
	}

	it.each<[string, Partial<INode>]>([
		['', RETRY_ON_FAIL],
		[' with Continue On Fail', RETRY_AND_CONTINUE],
	])('the error names the first job%s', async (_label, settings) => {
		await givenReads((read) => read === 1);

		const { error, json } = await service.runAgent({ options: TIMED_OUT }, { settings });

		const { job_id } = await service.onlyJob();
		expect(error?.message ?? json[0]?.error).toBe('The database is locked');
		expect(error?.description ?? JSON.stringify(json[0]?.details)).toContain(job_id);
	});

	it('the job is paused once it can be read again, since nothing waits for the job anymore', async () => {
		await givenReads((read) => read !== 2 && read !== 3);

		const options = { ...TIMED_OUT, pauseJob: 'onEarlyEnd' };
		const settings = { ...RETRY_ON_FAIL, maxTries: 2 };
		const { error } = await service.runAgent({ options }, { settings });
		await service.clock.advance(60_000);

		expect(error?.message).toBe('The database is locked');
		await waitFor(async () => {
			expect(await service.onlyJob()).toMatchObject({ pauses: 1, status: 'paused' });
		});
	});
});
