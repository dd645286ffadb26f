import { isObject } from '../../nodes/isObject';

describe('isObject', () => {
	it.each([
		['an object', {}, true],
		['null', null, false],
		['a list', [], false],
		['a text', 'a', false],
		['undefined', undefined, false],
	])('is right for %s', (_label, value, isRight) => {
		expect(isObject(value)).toBe(isRight);
	});
});
