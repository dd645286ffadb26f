import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';

const service = useSandbox();

const withoutWaiting = (parameters: INodeParameters = {}): INodeParameters => ({
	waitUntilFinished: false,
	...parameters,
});

/** 'Payload Fields' of this kind, as the editor has them. */
const payloadFields = (...fields: Array<Record<string, unknown>>) =>
	withoutWaiting({
		payloadType: 'fields',
		payloadFields: { assignments: fields.map((field, id) => ({ id: String(id), ...field })) },
	} as INodeParameters);

describe('Workflow: Run', () => {
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

	it.each<[string, string, object]>([
		['no payload for a blank text', ' \n ', {}],
		['no payload for an undefined value', '={{ $json.nothing }}', {}],
		['text', 'the invoices\nof March', { payload: 'the invoices\nof March' }],
		['a number as text', '={{ 2024 }}', { payload: '2024' }],
		['an object as JSON text', '={{ ({ months: [1,2] }) }}', { payload: '{"months":[1,2]}' }],
	])('sends %s', async (_label, payload, body) => {
		await service.runWorkflow(withoutWaiting({ payload }));

		const [start] = await service.sent('runWorkflow');
		expect(start?.body).toEqual(body);
	});

	it("sends a payload that the service maps onto the workflow's inputs", async () => {
		const payload = '{"vendor": "ACME", "month": "March"}';

		await service.runWorkflow(withoutWaiting({ workflowId: 'wf_invoice_download', payload }));

		const { kind, inputs } = await service.onlyJob();
		expect([kind, inputs]).toEqual(['workflow', { vendor: 'ACME', month: 'March' }]);
	});

	it('sends fields of all types as JSON text, with values of each item', async () => {
		const parameters = payloadFields(
			{ name: 'vendor', type: 'string', value: '={{ $json.vendor }}' },
			{ name: 'year', type: 'number', value: '={{ $json.year }}' },
			{ name: 'isPaid', type: 'boolean', value: true },
			{ name: 'months', type: 'array', value: '[1,2]' },
			{ name: '={{ "detail" + "s" }}', type: 'object', value: '={{ ({ a: 1 }) }}' },
		);
		const input = [
			{ vendor: 'ACME', year: 2024 },
			{ vendor: 'Example', year: '2025' },
		];

		await service.runWorkflow(parameters, { input });

		const starts = await service.sent('runWorkflow');
		const rest = '"isPaid":true,"months":[1,2],"details":{"a":1}}';
		expect(starts.map(({ body }) => body)).toEqual([
			{ payload: `{"vendor":"ACME","year":2024,${rest}` },
			{ payload: `{"vendor":"Example","year":2025,${rest}` },
		]);
	});

	it('sends nothing for any item when a field of one does not fit its type', async () => {
		const parameters = payloadFields({ name: 'year', type: 'number', value: '={{ $json.year }}' });

		const { error } = await service.runWorkflow(parameters, {
			input: [{ year: 2024 }, { year: 'last' }],
		});

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

	it.each([
		['last response when Simplify is off', true, 'completed'],
		['response to the start when Wait Until Finished is off, too', false, 'success'],
	])("returns the service's whole %s", async (_label, waitUntilFinished, status) => {
		const { json } = await service.runWorkflow({ simplify: false, waitUntilFinished });

		const { job_id } = await service.onlyJob();
		const response = expect.objectContaining({ job_id, status }) as object;
		expect(json[0]).toEqual({ job_id, status, response });
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

	it.each([
		['a workflow that was not found', 'wf_gone', 'Workflow wf_gone was not found'],
		[
			'an input that the payload lacks',
			'wf_invoice_download',
			"The service did not accept the request: The payload has no value for the parameter 'vendor'",
		],
	])('names %s', async (_label, workflowId, message) => {
		const { error } = await service.runWorkflow({ workflowId });

		expect(error).toMatchObject({ message, context: { itemIndex: 0 } });
	});

	it('starts nothing when the account has less than Minimum Credits', async () => {
		await service.admin.setCredits('sandbox-pro-key', 1);

		const { error } = await service.runWorkflow({ options: { minimumCredits: 2 } });

		expect(error?.message).toContain("fewer than 'Minimum Credits' (2)");
		expect(await service.admin.jobs()).toEqual([]);
	});
});
