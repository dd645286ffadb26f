import { toId } from '../../../nodes/service/toId';

describe('An ID', () => {
	it.each([
		['letters and digits', 'job_1a2b-3C', 'job_1a2b-3C'],
		['dots among others', 'v1.2', 'v1.2'],
		['characters that have to be encoded', 'a?b#c%2F&d=e', 'a?b#c%2F&d=e'],
		['200 characters', 'x'.repeat(200), 'x'.repeat(200)],
		['a number', 42, '42'],
		['the largest number with all its digits', 9007199254740991, '9007199254740991'],
	])('can be %s', (_label, value, id) => {
		expect(toId(value)).toBe(id);
	});

	it.each([
		['201 characters', 'x'.repeat(201)],
		['two dots alone', '..'],
		['a path', '../v1/x'],
		['two words', 'a b'],
		['a text with a control character', 'a\u0000b'],
		['a lone surrogate', 'a\ud83d'],
		['a number that has lost digits', 9007199254740992],
		['a fraction', 1.5],
		['unset', undefined],
		['an object', { toString: () => 'job_1' }],
	])('cannot be %s', (_label, value) => {
		expect(toId(value)).toBeUndefined();
	});
});
