import { reportedDurationMs } from '../../../nodes/jobs/jobDuration';
import { aJob } from '../../support/aJob';

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
		['without offsets', '2026-03-29T00:30:00', '2026-03-29T03:30:00'],
		[
			'without offsets, in microseconds',
			'2026-03-29T00:30:00.000000',
			'2026-03-29T03:30:00.000000',
		],
		['without offsets, with a space', '2026-03-29 00:30:00', '2026-03-29 03:30:00'],
		['of which one has no offset', '2026-03-29T00:30:00', '2026-03-29T03:30:00Z'],
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
