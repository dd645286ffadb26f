import type { INodeParameters } from 'n8n-workflow';

import type { NodeResult } from '../../support/runNode';
import { steadyClock } from '../../support/steadyClock';
import { useSandbox, type SandboxRun } from '../../support/useSandbox';
import { setClock } from '../../support/testRuntime';

const service = useSandbox();

async function runWorkflow(
	parameters: INodeParameters = {},
	more: Partial<SandboxRun> = {},
): Promise<NodeResult> {
	return await service.run({
		resource: 'workflow',
		operation: 'run',
		parameters: { workflowId: 'wf_daily_report', ...parameters },
		...more,
	});
}

describe('what Workflow: Run sends', () => {
	it('is one signed POST to the workflow', async () => {
		await runWorkflow({ waitUntilFinished: false });

		const requests = await service.requests();
		expect(requests).toHaveLength(1);
		expect(requests[0]).toMatchObject({
			method: 'POST',
			path: '/workflows/run-with-payload/wf_daily_report',
			headers: { authorization: 'Bearer sandbox-pro-key', 'content-type': 'application/json' },
		});
	});

	it.each<[string, string, object]>([
		['an empty payload', '', {}],
		['a blank payload', ' \n ', {}],
		['a payload that an expression leaves undefined', '={{ $json.nothing }}', {}],
		['text', 'the invoices\nof March', { payload: 'the invoices\nof March' }],
		['a number', '={{ 2024 }}', { payload: '2024' }],
		['an object', '={{ $json.data }}', { payload: '{"vendor":"ACME","months":[1,2]}' }],
	])('holds the right body for %s', async (_label, payload, body) => {
		await runWorkflow(
			{ payload, waitUntilFinished: false },
			{ input: [{ data: { vendor: 'ACME', months: [1, 2] } }] },
		);

		const [start] = await service.requests({ endpoint: 'runWorkflow' });
		expect(start?.body).toEqual(body);
	});

	it('lets the service map the payload onto the parameters of the workflow', async () => {
		await runWorkflow({
			workflowId: 'wf_invoice_download',
			payload: 'vendor: ACME\nmonth: March',
			waitUntilFinished: false,
		});

		const [job] = await service.admin.jobs();
		expect(job).toMatchObject({ kind: 'workflow', inputs: { vendor: 'ACME', month: 'March' } });
	});

	it('takes the ID as one segment of the path, whatever is in it', async () => {
		await runWorkflow({ workflowId: ' wf?a=1#é%2e ' });

		const [request] = await service.requests();
		expect(request?.path).toBe('/workflows/run-with-payload/wf%3Fa%3D1%23%C3%A9%252e');
	});
});

describe('what Workflow: Run returns', () => {
	it('is, without waiting, the job and where it belongs', async () => {
		const { items } = await runWorkflow({ waitUntilFinished: false });

		const [job] = await service.admin.jobs();
		expect(items).toEqual([
			{
				json: {
					job_id: job?.job_id,
					status: 'success',
					user_id: job?.user_id,
					workflow_id: 'wf_daily_report',
					conversation_id: expect.stringMatching(/^conv_/),
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(await service.requests({ endpoint: 'getJob' })).toEqual([]);
	});

	it("is, without waiting and with Simplify off, the service's whole answer", async () => {
		const { items } = await runWorkflow({ waitUntilFinished: false, simplify: false });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			job_id: job?.job_id,
			status: 'success',
			response: expect.objectContaining({ user_id: job?.user_id, status: 'success' }),
		});
	});

	it('is, after waiting, the finished job with its workflow and conversation', async () => {
		await service.admin.nextJob({ statuses: ['running', 'completed'], output: 'Written' });

		const { items } = await runWorkflow();

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			job_id: job?.job_id,
			status: 'completed',
			output: 'Written',
			credits_used: expect.any(Number),
			live_url: expect.any(String),
			history_url: expect.any(String),
			duration_seconds: expect.any(Number),
			is_finished: true,
			workflow_id: 'wf_daily_report',
			conversation_id: expect.stringMatching(/^conv_/),
		});
	});

	it('is, after waiting and with Simplify off, the last answer about the job', async () => {
		const { items } = await runWorkflow({ simplify: false });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			job_id: job?.job_id,
			status: 'completed',
			response: expect.objectContaining({ job_id: job?.job_id, status: 'completed' }),
		});
	});

	it('names the workflow that was asked for when the answer does not', async () => {
		await service.admin.nextJob({
			statuses: ['completed'],
			startBody: { workflow_id: null, conversation_id: null, user_id: null },
		});

		const { items } = await runWorkflow();

		expect(items[0]?.json).toHaveProperty('workflow_id', 'wf_daily_report');
		expect(items[0]?.json).not.toHaveProperty('conversation_id');
	});
});

describe('when Workflow: Run goes wrong', () => {
	it('names the workflow that the service does not know', async () => {
		const { error } = await runWorkflow({ workflowId: 'wf_gone' });

		expect(error).toMatchObject({
			message: 'Workflow wf_gone was not found',
			context: { itemIndex: 0 },
		});
	});

	it('says what the service misses in the payload', async () => {
		const { error } = await runWorkflow({ workflowId: 'wf_invoice_download' });

		expect(error?.message).toBe(
			"The service did not accept the request: The payload has no value for the parameter 'vendor'",
		);
	});

	it('starts nothing below Minimum Credits', async () => {
		await service.admin.setCredits('sandbox-pro-key', 1);

		const { error } = await runWorkflow({ options: { minimumCredits: 2 } });

		expect(error?.message).toContain("fewer than 'Minimum Credits' (2)");
		expect(await service.admin.jobs()).toEqual([]);
	});

	it('waits for 60 minutes when Max Wait Minutes is not set', async () => {
		setClock(steadyClock(6_000));
		await service.admin.setLimits({ limits: 'off' });
		await service.admin.nextJob(['running']);

		const { error } = await runWorkflow();

		const [job] = await service.admin.jobs();
		expect(error?.message).toContain(`Job ${job?.job_id} `);
		expect(error?.message).toMatch(/ 60 minutes$/);
	});
});
