import type { IDataObject } from 'n8n-workflow';

import { EVENTS, Memory, type Event } from '../../../nodes/BrowserAgentTrigger/emittedEvents';

const JOBS = Array.from({ length: 1_000 }, (_, index) => `job_${index}`);

/** Notes events, and saves as a poll does. */
function remember(
	staticData: IDataObject,
	jobIds: string[],
	event: Event,
	{ isTold = true } = {},
): void {
	const memory = new Memory(staticData);
	for (const jobId of jobIds) memory.note(jobId, event, isTold);
	memory.save(jobIds);
}

/** As n8n's database gives it back. */
function stored(staticData: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
}

describe('Memory', () => {
	it('takes 15 bytes for each of 1,000 finished jobs', () => {
		const staticData: IDataObject = {};

		remember(staticData, JOBS, 'completed');

		expect(JSON.stringify(staticData.told).length).toBe(15 * 1_000 + 1);
	});

	it('grows by a byte for each further status of a job', () => {
		const staticData: IDataObject = {};
		remember(staticData, ['job_1'], 'not_found');
		const before = JSON.stringify(staticData).length;

		remember(staticData, ['job_1'], 'paused');
		remember(staticData, ['job_1'], 'completed');
		remember(staticData, ['job_1'], 'completed');

		expect(JSON.stringify(staticData).length).toBe(before + 2);
	});

	it('keeps apart jobs whose IDs are alike', () => {
		const staticData: IDataObject = {};

		remember(staticData, JOBS, 'failed');

		expect(Object.keys(staticData.told as IDataObject)).toHaveLength(1_000);
	});

	it.each(EVENTS)('knows after a restart that %s was told, and nothing else', (event) => {
		const staticData: IDataObject = {};
		remember(staticData, ['job_1'], event);

		const memory = new Memory(stored(staticData));

		expect(EVENTS.filter((other) => memory.isTold('job_1', other))).toEqual([event]);
		expect(EVENTS.filter((other) => memory.isTold('job_2', other))).toEqual([]);
	});

	it.each<[string, Event, boolean, Event[], boolean]>([
		['an end that was told', 'completed', true, ['completed'], true],
		['an end that was told and is not asked for any more', 'completed', true, ['failed'], true],
		['an end that was seen and not asked for', 'failed', false, ['completed'], true],
		['an end that is asked for only now', 'failed', false, ['failed'], false],
		['a pause that was told', 'paused', true, ['paused', 'completed'], false],
		['a job that was not found', 'not_found', true, ['not_found', 'completed'], false],
	])('says whether a job is done with: %s', (_label, event, isTold, triggerOn, isDone) => {
		const staticData: IDataObject = {};
		remember(staticData, ['job_1'], event, { isTold });

		expect(new Memory(stored(staticData)).isDone('job_1', triggerOn)).toBe(isDone);
	});

	it('does not take an event that was only seen for one that was told', () => {
		const staticData: IDataObject = {};
		remember(staticData, ['job_1'], 'failed', { isTold: false });

		expect(new Memory(stored(staticData)).isTold('job_1', 'failed')).toBe(false);
	});

	it('assigns new data, since n8n does not notice a change inside the old', () => {
		const told = {};
		const staticData: IDataObject = { told };

		remember(staticData, ['job_1'], 'completed');

		expect(staticData.told).not.toBe(told);
		expect(told).toEqual({});
	});

	it.each<[string, string | undefined, string[]]>([
		['first, when all had their turn', undefined, ['a', 'b', 'c', 'd']],
		['where the last poll ended', 'c', ['c', 'd', 'a', 'b']],
		['first, when the job it ended at has left the list', 'gone', ['a', 'b', 'c', 'd']],
	])('begins %s', (_label, next, order) => {
		const staticData: IDataObject = {};
		const memory = new Memory(staticData);
		memory.goOnWith(next);
		memory.save([]);

		expect(new Memory(stored(staticData)).inTurn(['a', 'b', 'c', 'd'])).toEqual(order);
	});

	it.each<[string, IDataObject]>([
		['empty', {}],
		['of an unset kind', { told: undefined, next: undefined }],
	])('begins anew with static data that is %s', (_label, staticData) => {
		const memory = new Memory(staticData);

		expect(memory.isDone('job_1', [...EVENTS])).toBe(false);
		expect(memory.inTurn(['a'])).toEqual(['a']);
	});
});
