import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import { Client, PRO } from './client';

describe('running a saved workflow', () => {
	let sandbox: Sandbox;
	let client: Client;

	beforeAll(async () => {
		sandbox = await startSandbox({ validateResponses: true, limits: 'off' });
		client = new Client(sandbox, PRO);
	});
	beforeEach(async () => await sandbox.admin.reset());
	afterAll(async () => await sandbox.close());

	it('answers with the identifiers of the run', async () => {
		const { status, data } = await client.runWorkflow('wf_daily_report');

		expect(status).toBe(200);
		expect(data).toEqual({
			status: 'success',
			job_id: expect.stringMatching(/^job_/),
			user_id: expect.stringMatching(/^user_/),
			workflow_id: 'wf_daily_report',
			conversation_id: expect.stringMatching(/^conv_/),
		});
	});

	it('makes a job that is polled like any other', async () => {
		const { data } = await client.runWorkflow('wf_daily_report');
		await sandbox.admin.advance(8);

		expect((await client.status(data.job_id)).data).toMatchObject({
			status: 'completed',
			user_id: data.user_id,
			output: expect.stringContaining('daily report'),
		});
	});

	it.each([
		['a JSON object', '{"vendor": "Acme", "month": "May"}', { vendor: 'Acme', month: 'May' }],
		['a JSON object with other values', '{"vendor": 7, "other": true}', { vendor: '7' }],
		['a JSON object in other letters', '{"Vendor": "Acme", "MONTH": null}', { vendor: 'Acme' }],
		['lines with colons', 'vendor: Acme\nmonth: May 2025', { vendor: 'Acme', month: 'May 2025' }],
		['lines with equals signs', 'vendor=Acme\r\nmonth=May', { vendor: 'Acme', month: 'May' }],
		['lines among others', 'Please do.\n  Vendor : Acme Ltd. \nThanks', { vendor: 'Acme Ltd.' }],
		['free text', 'the invoices of Acme, please', { vendor: 'the invoices of Acme, please' }],
		['text with an unknown name', 'company: Acme', { vendor: 'company: Acme' }],
		['a JSON list', '["Acme"]', { vendor: '["Acme"]' }],
	])('maps %s onto the parameters', async (_label, payload, inputs) => {
		const { status, data } = await client.runWorkflow('wf_invoice_download', { payload });

		expect(status).toBe(200);
		expect(await sandbox.admin.job(data.job_id)).toMatchObject({
			kind: 'workflow',
			workflow_id: 'wf_invoice_download',
			inputs,
			directive: expect.stringContaining(inputs.vendor),
			request: { payload },
		});
	});

	it.each([
		['an empty object', {}],
		['null', { payload: null }],
		['blank text', { payload: '  ' }],
		['only the other parameter', { payload: 'month: May' }],
		['an empty value', { payload: '{"vendor": "", "month": "May"}' }],
	])('refuses %s with 400 and the name of the missing parameter', async (_label, body) => {
		const { status, data } = await client.runWorkflow('wf_invoice_download', body);

		expect(status).toBe(400);
		expect(data).toEqual({ detail: expect.stringContaining("'vendor'"), status_code: 400 });
		expect(await sandbox.admin.jobs()).toEqual([]);
	});

	it('ignores the payload of a workflow without parameters', async () => {
		const { data } = await client.runWorkflow('wf_daily_report', { payload: 'vendor: Acme' });

		expect(await sandbox.admin.job(data.job_id)).toMatchObject({ inputs: {} });
	});

	it('answers 404 for a workflow that does not exist', async () => {
		const { status, data } = await client.runWorkflow('wf_none');

		expect(status).toBe(404);
		expect(data).toEqual({ detail: 'Workflow not found', status_code: 404 });
	});

	it('refuses a payload that is no text with 422', async () => {
		const { status, data } = await client.runWorkflow('wf_daily_report', { payload: { a: 1 } });

		expect(status).toBe(422);
		expect(data.detail).toEqual([
			{ loc: ['body', 'payload'], msg: 'Input should be a valid string', type: 'string_type' },
		]);
	});

	it('does not end at the maximum duration of a browser session', async () => {
		await sandbox.admin.nextJob({ durationSeconds: 7200 });
		const { data } = await client.runWorkflow('wf_daily_report');
		await sandbox.admin.advance(7100);

		expect((await client.status(data.job_id)).data.status).toBe('running');
	});
});
