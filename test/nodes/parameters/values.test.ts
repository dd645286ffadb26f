import { UserError } from '../../../nodes/errors/UserError';
import {
	splitList,
	toBoolean,
	toChoice,
	toChoices,
	toNumber,
	toRequiredText,
	toSentText,
	toText,
} from '../../../nodes/parameters/values';

const NAME = 'Some Field';

/** The error of a call. */
function errorOf(call: () => unknown): { message: string; description?: string } {
	try {
		call();
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
		return { message: error.message, description: error.details.description };
	}
	throw new Error('It did not throw');
}

const EMPTY = {
	message: "'Some Field' is empty",
	description: "Fill in 'Some Field'. If it is an expression, check its value for this item.",
};
const BLANK: Array<[string, unknown]> = [
	['undefined', undefined],
	['null', null],
	['empty text', ''],
	['white space', ' \n\t'],
];

describe('toText', () => {
	it.each<[string, unknown, string]>([
		['text', ' a\nb ', ' a\nb '],
		['undefined', undefined, ''],
		['null', null, ''],
		['a number', 1.5, '1.5'],
		['an object', { a: [1] }, '{"a":[1]}'],
		['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
		['an object whose JSON is text with quotes', { toJSON: () => 'a "b"' }, 'a "b"'],
	])('writes %s', (_label, value, text) => {
		expect(toText(value)).toBe(text);
	});
});

describe('toSentText', () => {
	it.each<[string, unknown, string]>([
		['a large integer', 2n ** 70n, '1180591620717411303424'],
		['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
	])('takes %s', (_label, value, text) => {
		expect(toSentText(value, NAME)).toBe(text);
	});

	const cyclic: { self?: object } = {};
	cyclic.self = cyclic;

	it.each<[string, unknown, string]>([
		['NaN', NaN, "'NaN'"],
		['an invalid date', new Date(NaN), "'null'"],
		['an object that contains itself', cyclic, "it can't be converted to JSON"],
	])('refuses %s', (_label, value, shown) => {
		expect(errorOf(() => toSentText(value, NAME)).message).toBe(
			`'Some Field' has a value that can't be sent as text: ${shown}`,
		);
	});
});

describe('toRequiredText', () => {
	it.each<[unknown, string]>([
		[' a ', ' a '],
		[0, '0'],
		['[]', '[]'],
	])('takes %p as it is written', (value, text) => {
		expect(toRequiredText(value, NAME)).toBe(text);
	});

	it.each<[string, unknown]>([...BLANK, ['an empty list', []], ['an empty object', {}]])(
		'rejects %s',
		(_label, value) => {
			expect(errorOf(() => toRequiredText(value, NAME))).toEqual(EMPTY);
		},
	);
});

describe('toNumber', () => {
	it.each<[unknown, { min?: number } | undefined, number]>([
		['1.5', undefined, 1.5],
		[' 7 ', undefined, 7],
		[0, { min: 0 }, 0],
	])('takes %p with the bounds %j', (value, bounds, number) => {
		expect(toNumber(value, NAME, bounds)).toBe(number);
	});

	it.each<[unknown, { min?: number } | undefined, string]>([
		[0, undefined, "'Some Field' must be greater than 0 (got 0)"],
		[-0.5, { min: 0 }, "'Some Field' must be at least 0 (got -0.5)"],
	])('rejects %p with the bounds %j', (value, bounds, message) => {
		expect(errorOf(() => toNumber(value, NAME, bounds))).toEqual({
			message,
			description: "Change 'Some Field'. If it is an expression, check its value for this item.",
		});
	});

	it.each<[string, unknown, string]>([
		['infinity', Infinity, "'Infinity'"],
		['NaN', NaN, "'NaN'"],
		['longer text', 'x'.repeat(81), `'${'x'.repeat(79)}…'`],
	])('rejects what is no number: %s', (_label, value, shown) => {
		expect(errorOf(() => toNumber(value, NAME))).toEqual({
			message: `'Some Field' is not a number: ${shown}`,
			description:
				"Enter a number in 'Some Field'. If it is an expression, check its value for this item.",
		});
	});

	it.each(BLANK)('rejects %s', (_label, value) => {
		expect(errorOf(() => toNumber(value, NAME))).toEqual(EMPTY);
	});
});

describe('toNumber with isWhole', () => {
	it.each<[unknown, number, number | undefined]>([
		[320, 320, 4096],
		[0, 0, undefined],
	])('takes %p from %p to %p', (value, min, max) => {
		expect(toNumber(value, NAME, { min, max, isWhole: true })).toBe(Number(value));
	});

	it.each<[unknown, number, number | undefined, string]>([
		[4097, 320, 4096, "'Some Field' must be between 320 and 4096 (got 4097)"],
	])('rejects %p from %p to %p', (value, min, max, message) => {
		expect(errorOf(() => toNumber(value, NAME, { min, max, isWhole: true }))).toEqual({
			message,
			description: "Change 'Some Field'. If it is an expression, check its value for this item.",
		});
	});

	it('rejects a fraction, also one out of range', () => {
		expect(errorOf(() => toNumber('0.5', NAME, { min: 1, isWhole: true }))).toEqual({
			message: "'Some Field' is not a whole number: 0.5",
			description: "Change 'Some Field'. If it is an expression, check its value for this item.",
		});
	});
});

describe('toBoolean', () => {
	it.each<[unknown, boolean]>([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('takes %p', (value, expected) => {
		expect(toBoolean(value, NAME)).toBe(expected);
	});

	it.each<[unknown, string]>([
		['yes', "'yes'"],
		[1, "'1'"],
		[null, 'it is empty'],
	])('rejects %p', (value, shown) => {
		expect(errorOf(() => toBoolean(value, NAME))).toEqual({
			message: `'Some Field' is neither true nor false: ${shown}`,
			description: "Change 'Some Field'. If it is an expression, check its value for this item.",
		});
	});
});

describe('toChoice', () => {
	it.each(['b-C', 'B-c', ' b-C\n'])('takes %j for a value of the list', (value) => {
		expect(toChoice(value, NAME, ['a', 'b-C'])).toBe('b-C');
	});

	it.each<[unknown, string]>([
		['c', "'c'"],
		[1, "'1'"],
	])('rejects %p, and names the choices', (value, shown) => {
		expect(errorOf(() => toChoice(value, NAME, ['a', 'b', '1']))).toEqual({
			message: `'Some Field' has no option ${shown}`,
			description: 'Choose one of: a, b, 1. If it is an expression, check its value for this item.',
		});
	});

	it.each(BLANK)('rejects %s', (_label, value) => {
		expect(errorOf(() => toChoice(value, NAME, ['a']))).toEqual(EMPTY);
	});
});

describe('toChoices', () => {
	const CHOICES = ['jobFailure', 'takeover', 'timeout'] as const;

	it.each<[string, unknown, string[]]>([
		['an array', ['timeout', 'jobFailure'], ['jobFailure', 'timeout']],
		['text with commas', ' timeout, takeover,', ['takeover', 'timeout']],
		['blank text', ' ', []],
		['any case, twice', ['TIMEOUT', ' timeOut '], ['timeout']],
	])('returns the choices in %s, in their own order', (_label, value, expected) => {
		expect(toChoices(value, NAME, CHOICES)).toEqual(expected);
	});

	it('rejects an unknown entry', () => {
		expect(errorOf(() => toChoices('timeout, never', NAME, CHOICES)).message).toBe(
			"'Some Field' has no option 'never'",
		);
	});

	it.each([[undefined], [null]])('rejects %p, which an expression has given', (value) => {
		expect(errorOf(() => toChoices(value, NAME, CHOICES))).toEqual(EMPTY);
	});
});

describe('splitList', () => {
	it.each<[string, unknown, unknown[]]>([
		['all separators', 'a,\n b \t,, c', ['a', 'b', 'c']],
		['separators around it', ' a, ', ['a']],
	])('splits text with %s', (_label, value, list) => {
		expect(splitList(value)).toEqual(list);
	});

	it.each<[string, unknown, unknown[]]>([
		['an array as it is', ['a', { job_id: 'b' }, null], ['a', { job_id: 'b' }, null]],
		['the JSON text of an array', ' ["a", {"job_id": "b"}]', ['a', { job_id: 'b' }]],
		['an object as one entry', { job_id: 'a' }, [{ job_id: 'a' }]],
		['nothing for undefined', undefined, []],
		['text that only begins like JSON', '[a b', ['[a', 'b']],
		['the JSON text of an object as text', '{"a":1}', ['{"a":1}']],
	])('returns %s', (_label, value, list) => {
		expect(splitList(value)).toEqual(list);
	});
});
