import { isId, toId } from '../../../nodes/service/ids';

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

describe('toId', () => {
	it.each([
		['text', 'job_1', 'job_1'],
		['text with space around it', ' job_1\n', 'job_1'],
		['a number', 42, '42'],
		['the largest number with all its digits', Number.MAX_SAFE_INTEGER, '9007199254740991'],
	])('reads %s', (_label, value, id) => {
		expect(toId(value)).toBe(id);
	});

	it.each([
		['a number that has lost digits', Number.MAX_SAFE_INTEGER + 1],
		['a fraction', 1.5],
		['a boolean', true],
		['nothing', undefined],
		['an object', { toString: () => 'job_1' }],
		['blank text', ' '],
		['text that is no ID', 'a/b'],
	])('does not take %s', (_label, value) => {
		expect(toId(value)).toBeUndefined();
	});
});
