import { hasFinalStatus, isFinished, isPaused, isSuccessful } from '../../../nodes/jobs/status';

const NO = { finished: false, final: false, successful: false, paused: false };

describe('A job status', () => {
	it.each([
		['provisioning', NO],
		['running', NO],
		['paused', { ...NO, paused: true }],
		['completed', { finished: true, final: true, successful: true, paused: false }],
		['failed', { ...NO, finished: true, final: true }],
		['canceled', { ...NO, finished: true, final: true }],
		['user_taken_over', { ...NO, finished: true }],
		['a_status_of_next_year', NO],
		['', NO],
	])("of '%s' says whether and how the job has ended", (status, expected) => {
		expect({
			finished: isFinished({ status }),
			final: hasFinalStatus({ status }),
			successful: isSuccessful({ status }),
			paused: isPaused({ status }),
		}).toEqual(expected);
	});

	it.each<[string, unknown, boolean]>([
		['text', 'The browser is gone', true],
		['data', { code: 7 }, true],
		['empty', '', false],
		['blank', ' ', false],
		['an empty object', {}, false],
		['null', null, false],
		['false', false, false],
	])('that is unknown is an end only with an error that says something: %s', (...given) => {
		const [, error, isEnd] = given;

		expect(hasFinalStatus({ status: 'timed_out', error })).toBe(isEnd);
	});
});
