import { isId } from '../../../nodes/service/ids';

describe('isId', () => {
	it.each([
		['letters and digits', 'job_1a2b-3C', true],
		['dots among others', 'v1.2', true],
		['three dots', '...', true],
		['characters that have to be encoded', 'a?b#c%2F&d=e', true],
		['another script', '作业🙂', true],
		['200 characters', 'x'.repeat(200), true],
		['201 characters', 'x'.repeat(201), false],
		['nothing', '', false],
		['a dot alone', '.', false],
		['two dots alone', '..', false],
		['a path', '../v1/x', false],
		['a slash', 'a/b', false],
		['a backslash', 'a\\b', false],
		['a space', 'a b', false],
		['space around it', ' a', false],
		['a line break', 'a\nb', false],
		['a no-break space', 'a\u00a0b', false],
		['a control character', 'a\u0000b', false],
		['a lone surrogate', 'a\ud83d', false],
	])('is right for an ID of %s', (_label, id, isRight) => {
		expect(isId(id)).toBe(isRight);
	});
});
