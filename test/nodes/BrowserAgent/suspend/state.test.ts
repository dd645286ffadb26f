import { readState } from '../../../../nodes/BrowserAgent/suspend/state';

const STATE = { version: 5, items: [{ index: 0 }] };
const JOBS = [{ job_id: 'job_1' }, { job_id: 'job_2' }];

it('The stored state of suspended waits is read as it was stored', () => {
	expect(readState({ state: STATE, jobs: JOBS } as never)).toBe(STATE);
});

it.each<[string, unknown]>([
	['are missing', undefined],
	['have no IDs', [{}, null, 'job_1']],
])('A stored state whose jobs %s is an error, too', (_label, jobs) => {
	expect(() => readState({ jobs } as never)).toThrow(
		"The suspended wait for its jobs could not be continued, because its stored state can't be read",
	);
});

it('The error of a stored state that cannot be read names all jobs, however many', () => {
	const jobs = Array.from({ length: 200 }, (_, index) => ({ job_id: `job_${index}` }));

	expect(() => readState({ jobs } as never)).toThrow('job_198, job_199 could not be continued');
});

it.each<[string, unknown]>([
	['missing', undefined],
	['of another version', { ...STATE, version: 4 }],
	['of no version', { ...STATE, version: undefined }],
	['without items', { ...STATE, items: undefined }],
	['with an item that is none', { ...STATE, items: [null] }],
])(
	'A stored state that is %s is an error that names the jobs, and where to look for them',
	(_label, state) => {
		expect(() => readState({ state, jobs: JOBS } as never)).toThrow(
			expect.objectContaining({
				message: expect.stringContaining('job job_1, job_2'),
				details: expect.objectContaining({
					description: expect.stringContaining('get their results with Job: Wait'),
					jobIds: ['job_1', 'job_2'],
				}),
			}),
		);
	},
);
