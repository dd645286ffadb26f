import { readStoredState, toStoredState } from '../../../../nodes/BrowserAgent/suspend/storedState';
import type { SuspendedState } from '../../../../nodes/BrowserAgent/suspend/state';
import { createClock, type Clock } from '../../../../nodes/async/clock';

const OTHER_PROCESS_STARTED = 7_000_000;

/** The clock of a process: it began with the system's time, which was set later. */
function clockAt(now: number, wallTime: number): Clock {
	return { ...createClock(), now: () => now, wallTime: () => wallTime };
}

const STATE = {
	version: 1,
	continueOnFail: false,
	node: { id: 'a1', name: 'Browser Agent' },
	suspendedExecutionId: '1',
	suspendedAt: 1_000,
	items: [
		{
			itemIndex: 0,
			outcome: {
				kind: 'suspended',
				wait: {
					jobId: 'job_1',
					startedAt: 400,
					waitStartedAt: 500,
					deadline: 61_000,
					refusals: { count: 2, firstAt: 900 },
				},
			},
			entry: { known: { state: 'running', seenAt: 800, started: { startedAt: 400 } } },
		},
		{ itemIndex: 1, outcome: { kind: 'output', json: {} } },
	],
} as unknown as SuspendedState;

describe('The stored state of a suspended wait', () => {
	it('has times that another process reads by its own clock, a minute later', () => {
		const stored = toStoredState(STATE, clockAt(2_000, 5_000_000));
		const json = JSON.parse(JSON.stringify({ state: stored })) as { state: SuspendedState };

		const read = readStoredState(json, clockAt(OTHER_PROCESS_STARTED, 5_060_000));

		// What was due in 59 s is a second late.
		const shift = OTHER_PROCESS_STARTED - 62_000;
		expect(read).toMatchObject({
			suspendedAt: 1_000 + shift,
			items: [
				{
					outcome: {
						wait: {
							startedAt: 400 + shift,
							waitStartedAt: 500 + shift,
							deadline: 61_000 + shift,
							refusals: { count: 2, firstAt: 900 + shift },
						},
					},
					entry: { known: { seenAt: 800 + shift, started: { startedAt: 400 + shift } } },
				},
				{ outcome: { kind: 'output' } },
			],
		});
	});

	it.each<[string, unknown]>([
		['missing', undefined],
		['of another version', { ...STATE, version: 2 }],
		['of no version', { ...STATE, version: undefined }],
		['without items', { ...STATE, items: undefined }],
		['with an item that is none', { ...STATE, items: [null] }],
	])('that is %s is an error that names the jobs, and where to look for them', (_label, state) => {
		const json = { state, jobs: [{ job_id: 'job_1' }, { job_id: 'job_2' }] } as never;

		expect(() => readStoredState(json, createClock())).toThrow(
			expect.objectContaining({
				message: expect.stringContaining('job job_1, job_2'),
				details: expect.objectContaining({
					description: expect.stringContaining('get their results with Job: Wait'),
					jobIds: ['job_1', 'job_2'],
				}),
			}),
		);
	});
});
