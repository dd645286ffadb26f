import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const withoutWaiting = (parameters: INodeParameters = {}): INodeParameters => ({
	waitUntilFinished: false,
	...parameters,
});

describe('Saved Workflow: Run', () => {
	it('sends one signed POST to the workflow', async () => {
		await service.runWorkflow(withoutWaiting());

		expect(await service.requests()).toMatchObject([
			{
				method: 'POST',
				path: '/workflows/run-with-payload/wf_daily_report',
				headers: { authorization: 'Bearer sandbox-pro-key', 'content-type': 'application/json' },
			},
		]);
	});

	it('sends the fields of a payload as JSON text, with values of each item', async () => {
		const vendor = { id: '0', name: 'vendor', type: 'string', value: '={{ $json.vendor }}' };
		const year = { id: '1', name: 'year', type: 'number', value: '={{ $json.year }}' };
		const payloadFields = { assignments: [vendor, year] };
		const input = [
			{ vendor: 'ACME', year: 2024 },
			{ vendor: 'Example', year: '2025' },
		];

		await service.runWorkflow(withoutWaiting({ payloadType: 'fields', payloadFields }), { input });

		const starts = await service.sent('runWorkflow');
		expect(starts.map(({ body }) => body)).toEqual([
			{ payload: '{"vendor":"ACME","year":2024}' },
			{ payload: '{"vendor":"Example","year":2025}' },
		]);
	});

	it('returns the started job when Wait Until Finished is off', async () => {
		const { items } = await service.runWorkflow(withoutWaiting());

		const { job_id, user_id } = await service.onlyJob();
		const conversation_id = expect.stringMatching(/^conv_/) as string;
		expect(items).toEqual([
			{
				json: {
					job_id,
					status: 'success',
					user_id,
					workflow_id: 'wf_daily_report',
					conversation_id,
					is_finished: false,
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(await service.sent('getJob')).toEqual([]);
	});

	it('returns the finished job with its workflow and conversation', async () => {
		await service.admin.nextJob({ statuses: ['running', 'completed'], output: 'Written' });

		const { json } = await service.runWorkflow();

		const { job_id } = await service.onlyJob();
		expect(json[0]).toEqual({
			job_id,
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

	it('returns the whole last response beside its workflow and conversation when Simplify is off', async () => {
		const { json } = await service.runWorkflow({ simplify: false });

		const { job_id } = await service.onlyJob();
		expect(json[0]).toEqual({
			job_id,
			status: 'completed',
			workflow_id: 'wf_daily_report',
			conversation_id: expect.stringMatching(/^conv_/),
			response: expect.objectContaining({ job_id, status: 'completed' }),
		});
	});

	it('returns the workflow ID of the parameter when the start response has none', async () => {
		await service.admin.nextJob({
			statuses: ['completed'],
			startBody: { workflow_id: null, conversation_id: null, user_id: null },
		});

		const { json } = await service.runWorkflow();

		expect(json[0]).toHaveProperty('workflow_id', 'wf_daily_report');
		expect(json[0]).not.toHaveProperty('conversation_id');
	});

	it('names a workflow that was not found', async () => {
		const { error } = await service.runWorkflow({ workflowId: 'wf_gone' });

		expect(error).toMatchObject({
			message: 'Workflow wf_gone was not found',
			context: { itemIndex: 0 },
		});
	});
});
