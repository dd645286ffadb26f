import { toJobItem, toStartedItem, omitUndefined } from '../../../nodes/output/jobItem';
import { aJob } from '../../support/aJob';

describe('toJobItem', () => {
	it('shows every field of the finished job', () => {
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

		expect(item).toEqual({
			job_id: 'job_1',
			status: 'completed',
			output: 'Done',
			job_error: 'a warning',
			credits_used: 20,
			live_url: 'https://example.com/live',
			history_url: 'https://example.com/history',
			duration_seconds: 61.5,
			is_finished: true,
		});
	});

	it('leaves out what the service did not send', () => {
		const item = toJobItem(aJob(), { simplify: true });

		expect(Object.keys(item)).toEqual(['job_id', 'status', 'is_finished']);
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
		['running', false],
		['completed', true],
	])("says whether a job that is '%s' is finished", (status, isFinished) => {
		expect(toJobItem(aJob({ status }), { simplify: true }).is_finished).toBe(isFinished);
	});

	it('shows further fields, without those that are not set', () => {
		const extraFields = { workflow_id: 'wf_1', conversation_id: undefined };

		const item = toJobItem(aJob(), { simplify: true, extraFields });

		expect(item).toEqual({
			job_id: 'job_1',
			status: 'running',
			is_finished: false,
			workflow_id: 'wf_1',
		});
	});

	it("shows the service's whole body under response when it is not simplified", () => {
		const body = { status: 'cancelled', error: 'gone', cdp_url: 'wss://browser.example.com/1' };
		const job = aJob({ status: 'canceled', error: 'gone', body });

		const item = toJobItem(job, { simplify: false, durationSeconds: 3, extraFields: { a: 1 } });

		expect(item).toEqual({ job_id: 'job_1', status: 'canceled', response: body });
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
	const started = {
		job_id: 'job_1',
		status: 'running',
		body: {
			job_id: 'job_1',
			status: 'running',
			live_url: null,
			history_url: 'https://example.com/history',
			cdp_url: 'wss://browser.example.com/1',
			error: 'none yet',
		},
	};

	it('shows the chosen fields, as far as the service has sent them', () => {
		const fields = ['live_url', 'history_url', 'polling_url'];

		const item = toStartedItem(started, { simplify: true, fields });

		expect(item).toEqual({
			job_id: 'job_1',
			status: 'running',
			history_url: 'https://example.com/history',
		});
	});

	it("shows the service's whole body under response when it is not simplified", () => {
		const item = toStartedItem(started, { simplify: false, fields: ['live_url'] });

		expect(item).toEqual({ job_id: 'job_1', status: 'running', response: started.body });
	});

	it('leaves out a status that the service did not send', () => {
		const item = toStartedItem({ job_id: 'job_1', body: {} }, { simplify: true, fields: [] });

		expect(Object.keys(item)).toEqual(['job_id']);
	});
});

describe('omitUndefined', () => {
	it('removes undefined fields, and no other ones', () => {
		const item = { a: undefined, b: null, c: '', d: 0, e: false };

		expect(omitUndefined(item)).toStrictEqual({ b: null, c: '', d: 0, e: false });
	});
});
