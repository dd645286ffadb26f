import { setUpSandbox } from './setUpSandbox';

describe('Sandbox workflow', () => {
	const sandbox = setUpSandbox();

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
