import { zonedTime } from '../../../nodes/jobs/zonedTime';

it.each([
	['UTC', '2026-01-31 23:30:05 +00:00'],
	['Europe/London', '2026-01-31 23:30:05 +00:00'],
	['Europe/Vienna', '2026-02-01 00:30:05 +01:00'],
	['America/New_York', '2026-01-31 18:30:05 -05:00'],
])('A time in %s has its date and its offset', (zone, text) => {
	expect(zonedTime(Date.UTC(2026, 0, 31, 23, 30, 5), zone)).toBe(text);
});
