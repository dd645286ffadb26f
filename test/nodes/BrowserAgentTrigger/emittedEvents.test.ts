import type { IDataObject } from 'n8n-workflow';

import { EmittedEvents } from '../../../nodes/BrowserAgentTrigger/emittedEvents';
import { TRIGGER_EVENTS, type TriggerEvent } from '../../../nodes/parameters/triggerOn';

const MAX_JOBS = 10_000;

/** Notes events as a poll does, and returns the static data as n8n's database gives it back. */
function saved(
	jobIds: string[],
	event: TriggerEvent,
	{ isEmitted = true, watched = jobIds, before = {} as IDataObject } = {},
): IDataObject {
	const staticData = { ...before };
	const events = new EmittedEvents(staticData);
	for (const jobId of jobIds) events.record(jobId, event, isEmitted);
	events.save(watched);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}

const jobsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `job_${index + 1}`);

describe('EmittedEvents', () => {
	it.each(TRIGGER_EVENTS)(
		'knows after a restart that %s was emitted, and nothing else',
		(event) => {
			const events = new EmittedEvents(saved(['job_1'], event));

			expect(TRIGGER_EVENTS.filter((one) => events.isEmitted('job_1', one))).toEqual([event]);
			expect(TRIGGER_EVENTS.filter((one) => events.isEmitted('job_2', one))).toEqual([]);
		},
	);

	it('is stored as plain data', () => {
		const staticData: IDataObject = {};
		const events = new EmittedEvents(staticData);

		events.record('job_1', 'completed', true);
		events.record('job_2', 'failed', false);
		events.record('job_1', 'completed', true);
		events.continueAt('job_3');
		events.save(['job_1', 'job_2', 'job_3']);

		expect(staticData).toEqual({
			emitted: { completed: ['job_1'] },
			ignored: { failed: ['job_2'] },
			cursor: 'job_3',
		});
	});

	it('assigns new data, since n8n does not notice a change within the old', () => {
		const before = saved(['job_1'], 'completed');
		const { emitted, ignored } = before;

		new EmittedEvents(before).save([]);

		expect(before.emitted).not.toBe(emitted);
		expect(before.ignored).not.toBe(ignored);
	});

	it.each<[string, TriggerEvent, boolean, TriggerEvent[], boolean]>([
		['completed, emitted', 'completed', true, ['completed'], true],
		['completed, emitted and not chosen any more', 'completed', true, ['failed'], true],
		['failed, emitted', 'failed', true, ['completed'], true],
		['taken over, emitted', 'user_taken_over', true, ['completed'], false],
		['canceled, emitted', 'canceled', true, ['completed'], true],
		['failed, not chosen', 'failed', false, ['completed'], true],
		['failed, chosen only now', 'failed', false, ['failed'], false],
		['paused, emitted', 'paused', true, ['paused', 'completed'], false],
		['paused, not chosen', 'paused', false, ['completed'], false],
		['not found, emitted', 'not_found', true, ['not_found', 'completed'], false],
	])('says whether a job is done: %s', (_label, event, isEmitted, triggerOn, isDone) => {
		const events = new EmittedEvents(saved(['job_1'], event, { isEmitted }));

		expect(events.isDone('job_1', triggerOn)).toBe(isDone);
	});

	it('does not take an event that was not chosen for an emitted one', () => {
		const events = new EmittedEvents(saved(['job_1'], 'failed', { isEmitted: false }));

		expect(events.isEmitted('job_1', 'failed')).toBe(false);
	});

	it('remembers a job that has left the list', () => {
		const events = new EmittedEvents(saved(['job_1'], 'completed', { watched: [] }));

		expect(events.isEmitted('job_1', 'completed')).toBe(true);
	});

	it.each<[string, number, number]>([
		['all of 10,000 jobs', MAX_JOBS, 1],
		['the last 10,000 of 10,001 jobs', MAX_JOBS + 1, 2],
	])('remembers %s', (_label, count, firstKept) => {
		const { emitted } = saved(jobsUpTo(count), 'completed', { watched: [] });

		const { completed = [] } = emitted as Record<string, string[]>;
		expect(completed).toHaveLength(MAX_JOBS);
		expect(completed[0]).toBe(`job_${firstKept}`);
	});

	it('remembers the jobs on the list first of all when it is full', () => {
		const full = saved(jobsUpTo(MAX_JOBS), 'completed');

		const { emitted } = saved(['job_new'], 'completed', {
			watched: ['job_1', 'job_new'],
			before: full,
		});

		const { completed = [] } = emitted as Record<string, string[]>;
		expect(completed).toHaveLength(MAX_JOBS);
		expect(completed).toEqual(expect.arrayContaining(['job_1', 'job_3', 'job_new']));
		expect(completed).not.toContain('job_2');
	});

	it('counts the jobs of each event by themselves', () => {
		const full = saved(jobsUpTo(MAX_JOBS), 'completed', { watched: [] });

		const { emitted, ignored } = saved(['job_0'], 'failed', {
			isEmitted: false,
			before: saved(['job_0'], 'canceled', { before: full }),
		});

		expect((emitted as Record<string, string[]>).completed).toHaveLength(MAX_JOBS);
		expect(emitted).toMatchObject({ canceled: ['job_0'] });
		expect(ignored).toEqual({ failed: ['job_0'] });
	});

	it.each<[string, string | undefined, string[]]>([
		['first job when all were polled', undefined, ['a', 'b', 'c', 'd']],
		['cursor', 'c', ['c', 'd', 'a', 'b']],
		['first job when the one at the cursor has left the list', 'gone', ['a', 'b', 'c', 'd']],
	])('begins the next poll with the %s', (_label, cursor, order) => {
		const staticData: IDataObject = { cursor: 'b' };
		const events = new EmittedEvents(staticData);
		events.continueAt(cursor);
		events.save([]);

		expect(new EmittedEvents(staticData).inOrder(['a', 'b', 'c', 'd'])).toEqual(order);
		expect('cursor' in staticData).toBe(cursor !== undefined);
	});

	it.each<[string, IDataObject]>([
		['empty', {}],
		['unset', { emitted: undefined, ignored: undefined, cursor: undefined }],
		['of another kind', { emitted: null, ignored: 'none', cursor: 7 }],
	])('begins anew with static data that is %s', (_label, staticData) => {
		const events = new EmittedEvents(staticData);

		expect(events.isDone('job_1', [...TRIGGER_EVENTS])).toBe(false);
		expect(events.inOrder(['7', 'a'])).toEqual(['7', 'a']);
	});
});
