import { toAnswerItem } from '../../../nodes/output/answerItem';

describe('the item of an answer that is not documented', () => {
	it.each([
		['nothing', undefined, {}],
		['null', null, {}],
		['an empty text', '', {}],
		['an empty object', {}, {}],
		['a text', 'paused', { response: 'paused' }],
		['a number', 0, { response: 0 }],
		['a boolean', false, { response: false }],
		['a list', ['paused'], { response: ['paused'] }],
		[
			'the answer to a resume',
			{ status: 'success', message: 'Resumed', data: { at: 1 } },
			{ status: 'success', message: 'Resumed', data: { at: 1 } },
		],
		[
			'an answer with fields that are null',
			{ status: 'success', message: null, data: null },
			{ status: 'success' },
		],
		['another ID', { job_id: 'job_2', status: 'paused' }, { status: 'paused' }],
		['an ID that is a number', { job_id: 1 }, {}],
		['an error', { error: 'too late' }, { job_error: 'too late' }],
		['an error that is null', { error: null }, {}],
		['an error and a job_error', { error: 'too late', job_error: 'gone' }, { job_error: 'gone' }],
	])("keeps the job's ID beside %s", (_label, body, shown) => {
		const item = toAnswerItem('job_1', body);

		expect(item).toEqual({ job_id: 'job_1', ...shown });
	});

	it('has no keys without a value', () => {
		const item = toAnswerItem('job_1', { message: null, error: null });

		expect(Object.keys(item)).toEqual(['job_id']);
	});
});
