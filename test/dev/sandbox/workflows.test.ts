import { setUpSandbox } from './setUpSandbox';

describe('Sandbox workflow', () => {
	const sandbox = setUpSandbox();

	it.each([
		['a JSON object', '{"vendor": "Acme", "month": 5}', { vendor: 'Acme', month: '5' }],
		['text', ' Acme ', { vendor: 'Acme' }],
	])('maps the payload onto its parameters: %s', async (_label, payload, inputs) => {
		const { data } = await sandbox.client.runWorkflow('wf_invoice_download', { payload });

		expect((await sandbox.admin.jobs()).at(-1)).toMatchObject({
			job_id: data.job_id,
			kind: 'workflow',
			workflow_id: 'wf_invoice_download',
			inputs,
			directive: expect.stringContaining(inputs.vendor),
			request: { payload },
		});
	});

	it.each([
		['no payload', 'wf_invoice_download', {}, 400],
		[
			'a payload without a required value',
			'wf_invoice_download',
			{ payload: '{"month": "May"}' },
			400,
		],
		['an unknown ID', 'wf_none', {}, 404],
	])('does not start with %s', async (_label, workflowId, body, expected) => {
		const { status } = await sandbox.client.runWorkflow(workflowId, body);

		expect(status).toBe(expected);
		expect(await sandbox.admin.jobs()).toEqual([]);
	});
});
