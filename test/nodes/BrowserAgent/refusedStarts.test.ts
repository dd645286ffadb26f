import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SERVICE_LIMITS } from '../../../nodes/service/documentedValues';
import { CONTINUE, RETRY_AND_CONTINUE } from '../../support/runNode';
import { setServiceLimits } from '../../support/testRuntime';
import { useSandbox, type FaultCase, type SandboxRun } from '../../support/useSandbox';

const service = useSandbox();
const { clock } = service;

const BAD_KEY = 'The service did not accept the API key';
const TOO_FEW_CREDITS = 'The account has too few credits to start a job';
const ONE_BY_ONE = { options: { maxParallelJobs: 1 } };
const PAGE = { contentType: 'text/html', body: '<p>Sign in</p>' };

/** Runs a job for each of these items, one after the other, and continues after failures. */
async function run(
	input: IDataObject[],
	parameters: INodeParameters = {},
	more: Partial<SandboxRun> = {},
) {
	return await service.runAgent(
		{ ...ONE_BY_ONE, ...parameters },
		{ input, settings: CONTINUE, ...more },
	);
}

/** The status of each item, or its error. */
function outcomesOf(json: IDataObject[]): unknown[] {
	return json.map(({ status, error }) => status ?? error);
}

describe('A refused key', () => {
	it('fails a batch of 1,000 items at once, after those that run at the same time', async () => {
		const input = Array<IDataObject>(1_000).fill({});
		const began = clock.now();

		const { json } = await run(input, { options: {} }, { apiKey: 'sk-nobody' });

		expect(outcomesOf(json)).toEqual(Array(1_000).fill(BAD_KEY));
		expect(clock.now() - began).toBeLessThan(1_000);
		expect((await service.sent('startAgent')).length).toBe(10);
	});

	it('fails no items of other accounts', async () => {
		const keys = ['sk-nobody', 'sandbox-pro-key', 'sk-nobody', 'sandbox-enterprise-key'];
		const input = keys.map((key) => ({ key }));

		const { json } = await run(input, {}, { apiKey: '={{ $json.key }}' });

		expect(outcomesOf(json)).toEqual([BAD_KEY, 'completed', BAD_KEY, 'completed']);
		expect(await service.sent('startAgent')).toHaveLength(3);
	});

	it('fails no item whose start was sent before', async () => {
		await service.fault('startAgent', 401);
		await service.fault('startAgent', { kind: 'delay', delaySeconds: 30 });

		const { json } = await run([{}, {}, {}], { options: { maxParallelJobs: 2 } });

		expect(outcomesOf(json)).toEqual([BAD_KEY, 'completed', BAD_KEY]);
		expect(await service.sent('startAgent')).toHaveLength(2);
	});

	it('fails no item that a retry continues with the job that was started', async () => {
		const options = { maxParallelJobs: 1, maxWaitMinutes: 0.5 };
		await service.admin.nextJob({ durationSeconds: 40 });
		await service.fault('startAgent', 422);
		await service.fault('startAgent', 401, { skip: 1 });

		const settings = { ...RETRY_AND_CONTINUE, maxTries: 2 };

		const { json } = await run([{}, {}], { options }, { settings });

		expect(outcomesOf(json)).toEqual([BAD_KEY, 'completed']);
		expect(await service.sent('startAgent')).toHaveLength(3);
	});

	it('is tried again by the next run', async () => {
		await service.fault('startAgent', 401);
		const settings = { ...RETRY_AND_CONTINUE, maxTries: 2 };

		const { json } = await run([{}, {}], {}, { settings });

		expect(outcomesOf(json)).toEqual(['completed', 'completed']);
	});
});

describe('Too few credits', () => {
	it('fail the later items with the same model', async () => {
		await service.fault('startAgent', 402);
		const input = ['o3', 'vendorc-4o', 'o3', 'default'].map((model) => ({ model }));

		const { json } = await run(input, { model: '={{ $json.model }}' });

		expect(outcomesOf(json)).toEqual([TOO_FEW_CREDITS, 'completed', TOO_FEW_CREDITS, 'completed']);
		expect(await service.sent('startAgent')).toHaveLength(3);
	});

	it('fail the later items with the same saved workflow', async () => {
		await service.fault('runWorkflow', 402);
		const ids = ['wf_daily_report', 'wf_invoice_download', 'wf_daily_report'];

		const { json } = await service.runWorkflow(
			{ workflowId: '={{ $json.id }}', payload: 'Acme', ...ONE_BY_ONE },
			{ input: ids.map((id) => ({ id })), settings: CONTINUE },
		);

		expect(outcomesOf(json)).toEqual([TOO_FEW_CREDITS, 'completed', TOO_FEW_CREDITS]);
		expect(await service.sent('runWorkflow')).toHaveLength(2);
	});

	it('fail a start that waits for its turn, before its balance is read', async () => {
		setServiceLimits({ ...SERVICE_LIMITS, start: { calls: 1, windowMs: 60_000 } });
		await service.fault('startAgent', 402);
		const options = { maxParallelJobs: 3, minimumCredits: 1 };

		const { json } = await run([{}, {}, {}], { options });

		expect(outcomesOf(json)).toEqual(Array(3).fill(TOO_FEW_CREDITS));
		expect(await service.sent('startAgent')).toHaveLength(1);
		expect(await service.sent('getCreditBalance')).toHaveLength(1);
	});
});

describe('Later items are started', () => {
	it.each<[string, number, Partial<FaultCase>]>([
		["a proxy's page with a 401", 401, PAGE],
		['a 403, which may be about the item', 403, {}],
	])('after %s', async (_label, status, answer) => {
		await service.fault('startAgent', status, answer);

		const { json } = await run([{}, {}]);

		expect(json[1]?.status).toBe('completed');
	});

	it('after a 401 to a status check', async () => {
		await service.fault('getJob', 401, { times: 5 });
		const options = { maxParallelJobs: 1, maxWaitMinutes: 1 };

		const { json } = await run([{}, {}], { options });

		expect(json[1]?.status).toBe('completed');
	});
});
