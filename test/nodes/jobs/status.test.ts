import {
	hasFinalStatus,
	isFinished,
	isPaused,
	isSuccessful,
	reportedDurationMs,
} from '../../../nodes/jobs/status';
import { aJob } from '../../support/aJob';

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

const HOUR_MS = 3_600_000;

describe('reportedDurationMs', () => {
	const { TZ } = process.env;

	// At 01:00 UTC on 2026-03-29, its clocks go forward by an hour.
	beforeAll(() => (process.env.TZ = 'Europe/Berlin'));
	afterAll(() => {
		if (TZ === undefined) delete process.env.TZ;
		else process.env.TZ = TZ;
	});

	it.each([
		['in UTC', '2026-03-29T00:30:00Z', '2026-03-29T03:30:00Z'],
		['with offsets', '2026-03-29T00:30:00+00:00', '2026-03-29T05:30:00+02:00'],
		['without offsets, in milliseconds', '2026-03-29T00:30:00.000', '2026-03-29T03:30:00.000'],
		['without offsets, with a space', '2026-03-29 00:30:00', '2026-03-29 03:30:00'],
	])('is the time between two times %s', (_label, created_at, updated_at) => {
		expect(reportedDurationMs(aJob({ created_at, updated_at }))).toBe(3 * HOUR_MS);
	});

	it.each([
		['one is missing', '2026-03-29T00:30:00Z', undefined],
		['one is no time', 'soon', '2026-03-29T00:30:00Z'],
		['they are equal', '2026-03-29T00:30:00Z', '2026-03-29T00:30:00Z'],
		['they are in the wrong order', '2026-03-29T00:30:00Z', '2026-03-29T00:00:00Z'],
	])('is unknown when %s', (_label, created_at, updated_at) => {
		expect(reportedDurationMs(aJob({ created_at, updated_at }))).toBeUndefined();
	});
});
