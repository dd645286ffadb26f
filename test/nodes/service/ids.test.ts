import { isPathSegment } from '../../../nodes/service/pathSegment';

describe('an ID', () => {
	it.each([
		['letters and digits', 'job_1a2b-3C'],
		['dots among others', 'v1.2'],
		['three dots', '...'],
		['what has to be encoded', 'a?b#c%2F&d=e'],
		['another script', '作业🙂'],
	])('can be one part of an address with %s', (_label, id) => {
		expect(isPathSegment(id)).toBe(true);
	});

	it.each([
		['nothing in it', ''],
		['a dot alone', '.'],
		['two dots alone', '..'],
		['a way up', '../v1/x'],
		['a slash', 'a/b'],
		['a backslash', 'a\\b'],
		['a space', 'a b'],
		['space around it', ' a'],
		['a line break', 'a\nb'],
		['a space of another kind', 'a\u00a0b'],
		['a control character', 'a\u0000b'],
		['half a character', 'a\ud83d'],
	])('can not be one with %s', (_label, id) => {
		expect(isPathSegment(id)).toBe(false);
	});

	it('that can be one does not change where an address leads', () => {
		const id = 'a?b#c%2F..';

		const { pathname } = new URL(`https://example.com/v1/${encodeURIComponent(id)}`);

		expect(pathname).toBe('/v1/a%3Fb%23c%252F..');
	});
});
