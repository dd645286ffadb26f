import {
	omitUndefined,
	toJobItem,
	toResponseItem,
	toStartedItem,
} from '../../../nodes/output/jobItem';
import { aJob } from '../../support/aJob';

describe('toJobItem', () => {
	it('shows every field of the finished job, those that users look for first', () => {
		const job = aJob({
			status: 'completed',
			output: 'Done',
			error: 'a warning',
			credits_used: 20,
			live_url: 'https://example.com/live',
			history_url: 'https://example.com/history',
			created_at: '2026-01-01T00:00:00Z',
			updated_at: '2026-01-01T00:01:00Z',
			body: { cdp_url: 'wss://browser.example.com/1' },
		});

		const item = toJobItem(job, { simplify: true, durationSeconds: 61.5 });

		expect(Object.entries(item)).toEqual([
			['status', 'completed'],
			['output', 'Done'],
			['job_error', 'a warning'],
			['job_id', 'job_1'],
			['credits_used', 20],
			['live_url', 'https://example.com/live'],
			['history_url', 'https://example.com/history'],
			['duration_seconds', 61.5],
			['is_finished', true],
		]);
	});

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

	it.each([
		['empty text', '', ''],
		['zero', 0, 0],
		['false', false, false],
		['an object', { rows: [] }, { rows: [] }],
	])('shows an output that is %s', (_label, output, shown) => {
		expect(toJobItem(aJob({ output }), { simplify: true }).output).toEqual(shown);
	});

	it.each([
		['simplified', true],
		['not simplified', false],
	])(
		'never shows a top-level error, for which n8n would run the node again: %s',
		(_l, simplify) => {
			const job = aJob({ status: 'failed', error: 'the page is gone', body: { error: 'gone' } });

			expect(toJobItem(job, { simplify })).not.toHaveProperty('error');
		},
	);
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

describe('omitUndefined', () => {
	it('removes undefined fields, and no other ones', () => {
		const item = { a: undefined, b: null, c: '', d: 0, e: false };

		expect(omitUndefined(item)).toStrictEqual({ b: null, c: '', d: 0, e: false });
	});
});

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
