import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const withoutWaiting = (parameters: INodeParameters = {}): INodeParameters => ({
	waitUntilFinished: false,
	...parameters,
});

describe('Workflow: Run', () => {
	it('sends one signed POST to the workflow', async () => {
		await service.runWorkflow(withoutWaiting());

		const requests = await service.requests();
		expect(requests).toHaveLength(1);
		expect(requests[0]).toMatchObject({
			method: 'POST',
			path: '/workflows/run-with-payload/wf_daily_report',
			headers: { authorization: 'Bearer sandbox-pro-key', 'content-type': 'application/json' },
		});
	});

	it.each<[string, string, object]>([
		['no payload for an empty text', '', {}],
		['no payload for a blank text', ' \n ', {}],
		['no payload for an undefined value', '={{ $json.nothing }}', {}],
		['text', 'the invoices\nof March', { payload: 'the invoices\nof March' }],
		['a number as text', '={{ 2024 }}', { payload: '2024' }],
		[
			'an object as JSON text',
			'={{ $json.data }}',
			{ payload: '{"vendor":"ACME","months":[1,2]}' },
		],
	])('sends %s', async (_label, payload, body) => {
		await service.runWorkflow(withoutWaiting({ payload }), {
			input: [{ data: { vendor: 'ACME', months: [1, 2] } }],
		});

		const [start] = await service.requests({ endpoint: 'runWorkflow' });
		expect(start?.body).toEqual(body);
	});

	it("sends a payload that the service maps onto the workflow's inputs", async () => {
		const payload = 'vendor: ACME\nmonth: March';

		await service.runWorkflow(withoutWaiting({ workflowId: 'wf_invoice_download', payload }));

		const [job] = await service.admin.jobs();
		expect(job).toMatchObject({ kind: 'workflow', inputs: { vendor: 'ACME', month: 'March' } });
	});

	it('sends fields of all types as JSON text, with values of each item', async () => {
		const assignments = [
			{ id: '1', name: 'vendor', type: 'string', value: '={{ $json.vendor }}' },
			{ id: '2', name: 'year', type: 'number', value: '={{ $json.year }}' },
			{ id: '3', name: 'isPaid', type: 'boolean', value: true },
			{ id: '4', name: 'months', type: 'array', value: '[1,2]' },
			{ id: '5', name: '={{ "detail" + "s" }}', type: 'object', value: '={{ ({ a: 1 }) }}' },
		];

		await service.runWorkflow(
			withoutWaiting({ payloadType: 'fields', payloadFields: { assignments } }),
			{
				input: [
					{ vendor: 'ACME', year: 2024 },
					{ vendor: 'Example', year: '2025' },
				],
			},
		);

		const starts = await service.requests({ endpoint: 'runWorkflow' });
		const rest = '"isPaid":true,"months":[1,2],"details":{"a":1}}';
		expect(starts.map(({ body }) => body)).toEqual([
			{ payload: `{"vendor":"ACME","year":2024,${rest}` },
			{ payload: `{"vendor":"Example","year":2025,${rest}` },
		]);
	});

	it('sends nothing for any item when a field of one does not fit its type', async () => {
		const assignments = [{ id: '1', name: 'year', type: 'number', value: '={{ $json.year }}' }];

		const { error } = await service.runWorkflow(
			withoutWaiting({ payloadType: 'fields', payloadFields: { assignments } }),
			{ input: [{ year: 2024 }, { year: 'last' }] },
		);

		expect(error).toMatchObject({
			message: "'Payload Fields: year' is not a number: 'last'",
			context: { itemIndex: 1 },
		});
		expect(await service.requests()).toEqual([]);
	});

	it('sends the workflow ID as one segment of the path', async () => {
		await service.runWorkflow(withoutWaiting({ workflowId: ' wf?a=1#é%2e ' }));

		const [request] = await service.requests();
		expect(request?.path).toBe('/workflows/run-with-payload/wf%3Fa%3D1%23%C3%A9%252e');
	});

	it('returns the started job when Wait Until Finished is off', async () => {
		const { items } = await service.runWorkflow(withoutWaiting());

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

	it("returns the service's whole start response when Simplify and Wait Until Finished are off", async () => {
		const { items } = await service.runWorkflow(withoutWaiting({ simplify: false }));

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			job_id: job?.job_id,
			status: 'success',
			response: expect.objectContaining({ user_id: job?.user_id, status: 'success' }),
		});
	});

	it('returns the finished job with its workflow and conversation', async () => {
		await service.admin.nextJob({ statuses: ['running', 'completed'], output: 'Written' });

		const { items } = await service.runWorkflow();

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

	it("returns the service's whole last response when Simplify is off", async () => {
		const { items } = await service.runWorkflow({ simplify: false });

		const [job] = await service.admin.jobs();
		expect(items[0]?.json).toEqual({
			job_id: job?.job_id,
			status: 'completed',
			response: expect.objectContaining({ job_id: job?.job_id, status: 'completed' }),
		});
	});

	it('returns the workflow ID of the parameter when the start response has none', async () => {
		await service.admin.nextJob({
			statuses: ['completed'],
			startBody: { workflow_id: null, conversation_id: null, user_id: null },
		});

		const { items } = await service.runWorkflow();

		expect(items[0]?.json).toHaveProperty('workflow_id', 'wf_daily_report');
		expect(items[0]?.json).not.toHaveProperty('conversation_id');
	});

	it('names a workflow that was not found', async () => {
		const { error } = await service.runWorkflow({ workflowId: 'wf_gone' });

		expect(error).toMatchObject({
			message: 'Workflow wf_gone was not found',
			context: { itemIndex: 0 },
		});
	});

	it("fails with the service's reason when the payload lacks an input", async () => {
		const { error } = await service.runWorkflow({ workflowId: 'wf_invoice_download' });

		expect(error?.message).toBe(
			"The service did not accept the request: The payload has no value for the parameter 'vendor'",
		);
	});

	it('starts nothing when the account has less than Minimum Credits', async () => {
		await service.admin.setCredits('sandbox-pro-key', 1);

		const { error } = await service.runWorkflow({ options: { minimumCredits: 2 } });

		expect(error?.message).toContain("fewer than 'Minimum Credits' (2)");
		expect(await service.admin.jobs()).toEqual([]);
	});

	it('waits for 60 minutes when Max Wait (Minutes) is not set', async () => {
		await service.admin.nextJob(['running']);

		const { error } = await service.runWorkflow({ options: { pollIntervalSeconds: 600 } });

		const [job] = await service.admin.jobs();
		expect(error?.message).toBe(`Job ${job?.job_id} was still running after 60 minutes`);
	});
});
