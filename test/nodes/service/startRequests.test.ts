import { toAgentStart, toWorkflowStart } from '../../../nodes/service/startRequests';

describe('toAgentStart', () => {
	it('sends the request as it is', () => {
		const request = { directive: 'Find the price', browser_config: { width: 1280 } };

		expect(toAgentStart(request)).toMatchObject({ path: '/v1/run_browser_agent', body: request });
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

	it('keeps the ID within one segment of the path', () => {
		expect(toWorkflowStart('a?b#c%2F', undefined).path).toBe(
			'/workflows/run-with-payload/a%3Fb%23c%252F',
		);
	});
});
