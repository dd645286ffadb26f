import type { IDataObject, INode } from 'n8n-workflow';

import { createClock } from '../../../nodes/async/clock';
import { SeenEvents } from '../../../nodes/BrowserAgentTrigger/memory';
import type { TriggerEvent } from '../../../nodes/parameters/triggerOn';

const MAX_JOBS = 10_000;

/**
 * Notes an event of jobs as a poll does, and returns the static data as n8n's database gives it
 * back.
 */
function saved(
	jobIds: string[],
	event: TriggerEvent,
	{ watched = jobIds, before = {} as IDataObject } = {},
): IDataObject {
	const staticData = { ...before };
	const events = eventsOf(staticData);
	for (const jobId of jobIds) events.record(jobId, event);
	events.save(watched);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}

/** The events of node `a1`, whose own static data these are. */
function eventsOf(
	staticData: IDataObject,
	shared: IDataObject = {},
	id = 'a1',
	name = 'Trigger',
): SeenEvents {
	const context = {
		getNode: () => ({ id, name }) as INode,
		getWorkflowStaticData: (type: string) => (type === 'node' ? staticData : shared),
	};
	return new SeenEvents(context, createClock());
}

/** The jobs that are remembered, from the oldest. */
function jobsIn({ jobs }: IDataObject): string[] {
	return (jobs as string[][]).map(([jobId = '']) => jobId);
}

const jobsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `job_${index + 1}`);

describe('SeenEvents', () => {
	it('assigns new data, since n8n does not notice a change within the old', () => {
		const staticData = saved(['job_1'], 'completed');
		const { jobs } = staticData;

		eventsOf(staticData).save([]);

		expect(staticData.jobs).not.toBe(jobs);
	});

	it('remembers the last 10,000 of 10,001 jobs', () => {
		const jobs = jobsIn(saved(jobsUpTo(MAX_JOBS + 1), 'completed', { watched: [] }));

		expect(jobs).toHaveLength(MAX_JOBS);
		expect(jobs[0]).toBe('job_2');
	});

	it('remembers the jobs on the list first of all when it is full', () => {
		const before = saved(jobsUpTo(MAX_JOBS), 'completed');

		const jobs = jobsIn(saved(['job_new'], 'failed', { watched: ['job_1', 'job_new'], before }));

		expect(jobs).toHaveLength(MAX_JOBS);
		expect(jobs).toEqual(expect.arrayContaining(['job_1', 'job_3', 'job_new']));
		expect(jobs).not.toContain('job_2');
	});

	it.each<[string, IDataObject]>([
		['empty', {}],
		['unset', { jobs: undefined }],
		['of another kind', { nodeId: 'a1', jobs: { completed: ['job_1'] } }],
	])('begins anew with static data that is %s', (_label, staticData) => {
		expect(eventsOf(staticData).hasEnded('job_1')).toBe(false);
	});

	it.each<[string, unknown]>([
		['null', null],
		['an ID', 'job_2'],
		['a number', ['job_2', 7]],
		['a text', ['job_2', 'completed']],
		['no ID', [7, ['completed']]],
	])('keeps what it can read beside an entry that is %s', (_label, entry) => {
		const jobs = [entry, ['job_1', ['completed']]] as never;
		const events = eventsOf({ nodeId: 'a1', nodeName: 'Trigger', jobs, touchedAt: 'abc' });

		expect(events.hasEnded('job_1')).toBe(true);
		expect(events.hasEnded('job_2')).toBe(false);
		expect(events.savedAt).toBe(0);
	});

	it('begins with its own data if these are newer than the copy of another node of the same ID', () => {
		const shared: IDataObject = {};
		const other = eventsOf({}, shared, 'a1', 'Other');
		other.record('job_1', 'completed');
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-01'));
		other.save(['job_1']);
		jest.restoreAllMocks();
		const own: IDataObject = {};
		eventsOf(own, {}).save([]);

		expect(eventsOf(own, shared).hasEnded('job_1')).toBe(false);
	});

	it('begins anew when a crash has lost its own data, and with them the events of the copy', () => {
		const shared: IDataObject = {};
		const before = eventsOf({}, shared);
		before.record('job_1', 'completed');
		before.save(['job_1']);

		expect(eventsOf({}, shared).hasEnded('job_1')).toBe(false);
	});

	it('begins with the copy of its node when its static data are those of another node', () => {
		const shared: IDataObject = {};
		const others = saved(['job_2'], 'completed');
		const before = eventsOf({}, shared, 'b2');
		before.record('job_1', 'completed');
		before.save(['job_1']);

		const renamed = eventsOf(others, shared, 'b2', 'New name');

		expect([renamed.hasEnded('job_1'), renamed.hasEnded('job_2')]).toEqual([true, false]);
	});

	it('begins with the copies of its name, the newest last, when it has a new ID and no data', () => {
		const shared: IDataObject = {};
		const write = (id: string, event: TriggerEvent, at: string) => {
			jest.spyOn(Date, 'now').mockReturnValue(Date.parse(at));
			const events = eventsOf({ nodeId: id }, shared, id);
			events.record('job_1', event);
			events.save(['job_1']);
		};
		write('a', 'paused', '2026-01-01');
		write('b', 'paused' as TriggerEvent, '2026-01-02');
		write('a', 'completed', '2026-01-03');
		jest.restoreAllMocks();

		expect(eventsOf({}, shared, 'c').hasEnded('job_1')).toBe(true);
	});

	it('keeps its own data if its node has no ID', () => {
		const own = saved(['job_1'], 'completed', { before: { nodeId: '' } });

		expect(eventsOf(own, {}, '').hasEnded('job_1')).toBe(true);
	});

	it('drops copies that were not written for thirty days', () => {
		const shared: IDataObject = {};
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-01'));
		eventsOf({}, shared, 'gone').save([]);
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-03'));
		eventsOf({}, shared, 'used').save([]);
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-02-01'));

		eventsOf({}, shared).save([]);

		expect(Object.keys(shared.browserAgentTriggers as object)).toEqual(['used', 'a1']);
		jest.restoreAllMocks();
	});
});
