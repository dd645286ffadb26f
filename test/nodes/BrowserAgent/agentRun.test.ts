import type { INodeParameters } from 'n8n-workflow';

import { RETRY_ON_FAIL } from '../../support/runNode';
import { useSandbox } from '../../support/useSandbox';

const LINKS = {
	live_url: expect.stringMatching(/\/live$/) as string,
	history_url: expect.stringContaining('http') as string,
};
const OPTIONAL_FIELDS = ['job_id', 'output', 'error', 'credits_used', 'live_url', 'history_url'];

const service = useSandbox();

/** Agent: Run without waiting. */
async function startOnly(parameters: INodeParameters = {}) {
	return await service.runAgent({ waitUntilFinished: false, ...parameters });
}

describe('Agent: Run sends', () => {
	it('only the directive when nothing else is set, in one signed POST', async () => {
		const directive = 'Find "it"\nin two lines – ü';

		await startOnly({ directive });

		const headers = {
			authorization: 'Bearer sandbox-pro-key',
			'content-type': 'application/json',
		};
		expect(await service.requests()).toMatchObject([
			{ method: 'POST', path: '/v1/run_browser_agent', headers },
		]);
		const [start] = await service.sent('startAgent');
		expect(start?.body).toEqual({ directive });
	});

	// How each parameter is read is tested in `test/nodes/parameters`.
	it('all that is set', async () => {
		await startOnly({
			initialUrl: ' https://example.com/a?b=c ',
			model: 'custom',
			customModel: 'vendorc-5',
			browserConfig: { width: 1280, residentialIp: 'de' },
		});

		const [start] = await service.sent('startAgent');
		expect(start?.body).toEqual({
			directive: 'Find the price',
			initial_url: 'https://example.com/a?b=c',
			action_selection_model: 'vendorc-5',
			browser_config: { width: 1280, residential_ip: 'de' },
		});
	});
});

describe('Agent: Run without Wait Until Finished returns', () => {
	it('the job with its links, without a poll and without the CDP URL', async () => {
		const { items } = await startOnly();

		const { job_id } = await service.onlyJob();
		const polling_url = `${service.url}/v1/get_job_status/${job_id}`;
		expect(items).toEqual([
			{
				json: { job_id, status: 'running', ...LINKS, polling_url, is_finished: false },
				pairedItem: { item: 0 },
			},
		]);
		expect(await service.sent('getJob')).toEqual([]);
	});
});

describe('Agent: Run returns', () => {
	it('the links of the start when the status has none', async () => {
		await service.admin.nextJob({ statuses: ['completed'], omitFields: OPTIONAL_FIELDS });

		const { json } = await service.runAgent();

		expect(json[0]).toEqual({
			job_id: expect.any(String),
			status: 'completed',
			duration_seconds: expect.any(Number),
			is_finished: true,
			...LINKS,
		});
	});

	it("the service's error as job_error, which n8n does not take for a failure", async () => {
		const result = { output: 'Nearly all of it', error: 'One page did not load' };
		await service.admin.nextJob({ statuses: ['completed'], ...result });

		const { json } = await service.runAgent({}, { settings: RETRY_ON_FAIL });

		expect(json[0]).toMatchObject({ output: result.output, job_error: result.error });
		expect(json[0]).not.toHaveProperty('error');
		expect((await service.onlyJob()).polls).toBe(1);
	});
});

it('Agent: Run sends nothing again, and says so, when it is unclear whether a job was started', async () => {
	await service.fault('startAgent', { kind: 'stall', when: 'after' });

	const { error } = await service.runAgent();

	expect(await service.requests()).toHaveLength(1);
	expect(error).toMatchObject({
		message: 'It is unclear whether a job was started. The service did not respond in time',
		context: { itemIndex: 0 },
	});
});

describe('Agent: Run after a 429', () => {
	it('waits for Retry-After and tries again as often as it takes', async () => {
		await service.fault('startAgent', 429, { times: 2, headers: { 'Retry-After': '20' } });

		const { json } = await service.runAgent();

		const starts = await service.sent('startAgent');
		const [first = 0, second = 0, third = 0] = starts.map(({ sandboxMs }) => sandboxMs);
		expect(second - first).toBeGreaterThanOrEqual(20_000);
		expect(third - second).toBeGreaterThanOrEqual(20_000);
		expect(json.map(({ job_id }) => job_id)).toEqual(await service.jobIds());
	});

	it('gives up after Max Wait (Minutes)', async () => {
		await service.fault('startAgent', 429, { times: 'always' });

		const { error } = await service.runAgent({ options: { maxWaitMinutes: 5 } });

		expect(error?.message).toMatch(/^Rate limit exceeded/);
		expect(await service.admin.jobs()).toEqual([]);
	});
});
