import { toResponseItem } from '../../../nodes/output/responseItem';

describe('toResponseItem', () => {
	it.each([
		['nothing', undefined, {}],
		['null', null, {}],
		['text', 'paused', {}],
		['an array', ['paused'], {}],
		['an empty object', {}, {}],
		[
			'message and data, but not the status of the response',
			{ status: 'success', message: 'Resumed', data: { at: 1 } },
			{ message: 'Resumed', data: { at: 1 } },
		],
		['data that is text', { data: 'Resumed' }, { data: 'Resumed' }],
		['no fields that are null', { message: null, data: null }, {}],
		['no other fields', { job_id: 'job_2', error: 'too late', cdp_url: 'wss://b.example' }, {}],
		[
			'no address of a browser in its data',
			{ data: [{ cdp_url: 'wss://browser.example.com', status: 'running' }] },
			{ data: [{ status: 'running' }] },
		],
	])("shows of a response beside the job's ID: %s", (_label, body, shown) => {
		expect(toResponseItem('job_1', body)).toStrictEqual({ job_id: 'job_1', ...shown });
	});
});
