import { DurationHistory } from '../../../nodes/jobs/DurationHistory';

const TASK = ['agent: find the price', 'agent'];
const OTHER_TASK = ['agent: log in', 'agent'];

function historyOf(kinds: string[], durations: number[]): DurationHistory {
	const history = new DurationHistory();
	for (const duration of durations) history.add(kinds, duration);
	return history;
}

describe('DurationHistory', () => {
	it('knows nothing of jobs that it has not seen', () => {
		const history = new DurationHistory();

		expect(history.outlook(TASK, 1_000, 100)).toEqual({ surviving: 0, ending: 0 });
	});

	it.each([
		['all jobs before the first end', 500, { surviving: 4, ending: 0 }],
		['the jobs that end at this age', 1_000, { surviving: 4, ending: 2 }],
		['half a window before an end', 1_951, { surviving: 2, ending: 1 }],
		['half a window after an end', 2_050, { surviving: 2, ending: 1 }],
		['the jobs that took longer', 2_500, { surviving: 1, ending: 0 }],
		['nothing after the last end', 3_100, { surviving: 0, ending: 0 }],
	])('counts %s', (_label, ageMs, expected) => {
		const history = historyOf(TASK, [2_000, 1_000, 3_000, 1_001]);

		expect(history.outlook(TASK, ageMs, 100)).toEqual(expected);
	});

	it('asks the operation while a task has fewer than three ends', () => {
		const history = historyOf(OTHER_TASK, [5_000, 5_000, 5_000]);
		history.add(TASK, 1_000);
		history.add(TASK, 1_000);

		expect(history.outlook(TASK, 5_000, 100).ending).toBe(3);
	});

	it('asks the task alone as soon as it has three ends', () => {
		const history = historyOf(OTHER_TASK, [5_000, 5_000, 5_000]);
		for (let end = 0; end < 3; end++) history.add(TASK, 1_000);

		expect(history.outlook(TASK, 5_000, 100)).toEqual({ surviving: 0, ending: 0 });
	});

	it('keeps the latest 30 ends of a kind', () => {
		const history = historyOf(TASK, [
			...Array<number>(30).fill(1_000),
			...Array<number>(30).fill(2_000),
		]);

		expect(history.outlook(TASK, 0, 0)).toEqual({ surviving: 30, ending: 0 });
		expect(history.outlook(TASK, 2_000, 100)).toEqual({ surviving: 30, ending: 30 });
	});

	it('keeps the 200 kinds that were seen last', () => {
		const history = new DurationHistory();
		history.add(['first'], 1_000);
		history.add(['second'], 1_000);
		for (let kind = 0; kind < 198; kind++) history.add([`kind ${kind}`], 1_000);
		history.add(['first'], 1_000);
		history.add(['new'], 1_000);

		expect(history.outlook(['first'], 0, 0).surviving).toBe(2);
		expect(history.outlook(['second'], 0, 0).surviving).toBe(0);
		expect(history.outlook(['kind 0'], 0, 0).surviving).toBe(1);
	});
});
