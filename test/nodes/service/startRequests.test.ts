import { toAgentStart, toWorkflowStart } from '../../../nodes/service/startRequests';

describe('toAgentStart', () => {
	it('sends the request as it is', () => {
		const request = { directive: 'Find the price', browser_config: { width: 1280 } };

		expect(toAgentStart(request)).toMatchObject({ path: '/v1/run_browser_agent', body: request });
	});

	it('names the task by which jobs take about the same time, and then the operation', () => {
		const { kinds } = toAgentStart({ directive: 'Find the price' });

		expect(kinds).toEqual(['agent: Find the price', 'agent']);
	});

	it('takes tasks that begin with the same 300 characters for the same', () => {
		const start = 'x'.repeat(300);

		const { kinds } = toAgentStart({ directive: `${start} and the rest` });

		expect(kinds).toEqual([`agent: ${start}`, 'agent']);
	});
});

describe('toWorkflowStart', () => {
	it.each([
		['a payload', 'for March', { payload: 'for March' }],
		['an empty payload', '', { payload: '' }],
		['no payload', undefined, {}],
	])('sends %s', (_label, payload, body) => {
		const { path, body: sent } = toWorkflowStart('wf_1', payload);

		expect(path).toBe('/workflows/run-with-payload/wf_1');
		expect(sent).toStrictEqual(body);
	});

	it('names the workflow whose jobs take about the same time, and then the operation', () => {
		expect(toWorkflowStart('wf_1', '').kinds).toEqual(['workflow: wf_1', 'workflow']);
	});

	it('keeps the ID within one segment of the path', () => {
		expect(toWorkflowStart('a?b#c%2F', undefined).path).toBe(
			'/workflows/run-with-payload/a%3Fb%23c%252F',
		);
	});
});
