import { toResponseItem } from '../../../nodes/output/responseItem';

describe('toResponseItem', () => {
	it.each([
		['nothing', undefined, {}],
		['null', null, {}],
		['empty text', '', {}],
		['an empty object', {}, {}],
		['text', 'paused', { response: 'paused' }],
		['a number', 0, { response: 0 }],
		['a boolean', false, { response: false }],
		['an array', ['paused'], { response: ['paused'] }],
		[
			'the response to a resume',
			{ status: 'success', message: 'Resumed', data: { at: 1 } },
			{ status: 'success', message: 'Resumed', data: { at: 1 } },
		],
		['fields that are null', { status: 'success', message: null }, { status: 'success' }],
		['another ID', { job_id: 'job_2', status: 'paused' }, { status: 'paused' }],
		['the address of a browser', { cdp_url: 'wss://browser.example.com' }, {}],
		[
			'the address of a browser further inside',
			{ data: [{ cdp_url: 'wss://browser.example.com', status: 'running' }] },
			{ data: [{ status: 'running' }] },
		],
		['a list with the address of a browser', [{ cdp_url: 'wss://b.example' }], { response: [{}] }],
		['an error', { error: 'too late' }, { job_error: 'too late' }],
		['an error that is null', { error: null }, {}],
		['an error and a job_error', { error: 'too late', job_error: 'gone' }, { job_error: 'gone' }],
	])("shows the job's ID beside %s", (_label, body, shown) => {
		expect(toResponseItem('job_1', body)).toStrictEqual({ job_id: 'job_1', ...shown });
	});
});
