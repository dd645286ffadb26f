import { isFinished, isPaused, isSuccessful } from '../../../nodes/jobs/status';

describe('a job status', () => {
	it.each([
		['provisioning', { finished: false, successful: false, paused: false }],
		['running', { finished: false, successful: false, paused: false }],
		['paused', { finished: false, successful: false, paused: true }],
		['completed', { finished: true, successful: true, paused: false }],
		['failed', { finished: true, successful: false, paused: false }],
		['user_taken_over', { finished: true, successful: false, paused: false }],
		['canceled', { finished: true, successful: false, paused: false }],
		['a_status_of_next_year', { finished: false, successful: false, paused: false }],
		['', { finished: false, successful: false, paused: false }],
	])("of '%s' says whether the job is over and how", (status, expected) => {
		const said = {
			finished: isFinished({ status }),
			successful: isSuccessful({ status }),
			paused: isPaused({ status }),
		};

		expect(said).toEqual(expected);
	});
});
