import { toJobItem, toResponseItem, toStartedItem } from '../../../nodes/jobs/item';
import { aJob } from '../../support/aJob';

describe('toJobItem', () => {
	it('shows mismatches after the output, and the fields of an operation last', () => {
		const checked = { output: 'No', output_errors: ['it is not JSON'] };
		const extraFields = { workflow_id: 'wf_1' };

		const item = toJobItem(aJob({ output: 'No' }), { simplify: true, checked, extraFields });

		expect(Object.keys(item)).toEqual([
			'status',
			'output',
			'output_errors',
			'job_id',
			'is_finished',
			'workflow_id',
		]);
	});
});

describe('toStartedItem', () => {
	it('shows the chosen fields, as far as the service has sent them', () => {
		const body = { live_url: null, history_url: 'https://example.com/history', error: 'none yet' };
		const fields = ['live_url', 'history_url', 'polling_url'];

		const record = { state: 'started' as const, job_id: 'job_1', start: { at: 0, body } };
		const item = toStartedItem(record, { simplify: true, fields });

		expect(item).toStrictEqual({
			job_id: 'job_1',
			history_url: body.history_url,
			is_finished: false,
		});
	});
});

describe('toResponseItem', () => {
	it.each([
		['text', 'paused', {}],
		['an array', ['paused'], {}],
		[
			'message and data, but not the status of the response',
			{ status: 'success', message: 'Resumed', data: { at: 1 } },
			{ message: 'Resumed', data: { at: 1 } },
		],
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
