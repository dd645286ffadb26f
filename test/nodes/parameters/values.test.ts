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

const BLANK = [undefined, null, '', ' \n\t'];

interface Bounds {
	min?: number;
	max?: number;
	isWhole?: boolean;
}

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
	it('takes a large integer', () => {
		expect(toSentText(2n ** 70n, NAME)).toBe('1180591620717411303424');
	});

	const cyclic: { self?: object } = {};
	cyclic.self = cyclic;

	it.each<[string, unknown, string]>([
		['NaN', NaN, "'NaN'"],
		['an invalid date', new Date(NaN), "'null'"],
		['an object that contains itself', cyclic, "it can't be converted to JSON"],
	])('refuses %s', (_label, value, shown) => {
		expect(() => toSentText(value, NAME)).toThrow(
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

	it.each([...BLANK, [], {}])('rejects %j as empty', (value) => {
		expect(() => toRequiredText(value, NAME)).toThrow("'Some Field' is empty");
	});
});

describe('toNumber', () => {
	it.each<[unknown, Bounds, number]>([
		['1.5', {}, 1.5],
		[' 7 ', {}, 7],
		[0, { min: 0 }, 0],
		[320, { min: 320, max: 4096, isWhole: true }, 320],
		['4096', { min: 320, max: 4096, isWhole: true }, 4096],
	])('takes %p with the bounds %j', (value, bounds, number) => {
		expect(toNumber(value, NAME, bounds)).toBe(number);
	});

	it.each<[unknown, Bounds, string]>([
		[0, {}, 'must be greater than 0 (got 0)'],
		[-0.5, { min: 0 }, 'must be at least 0 (got -0.5)'],
		[4097, { min: 320, max: 4096 }, 'must be between 320 and 4096 (got 4097)'],
		['0.5', { min: 1, isWhole: true }, 'is not a whole number: 0.5'],
		[Infinity, {}, "is not a number: 'Infinity'"],
		[NaN, {}, "is not a number: 'NaN'"],
		['x'.repeat(81), {}, `is not a number: '${'x'.repeat(79)}…'`],
	])('rejects %p with the bounds %j', (value, bounds, problem) => {
		expect(() => toNumber(value, NAME, bounds)).toThrow(`'Some Field' ${problem}`);
	});

	it.each(BLANK)('rejects %j as empty', (value) => {
		expect(() => toNumber(value, NAME)).toThrow("'Some Field' is empty");
	});
});

describe('toBoolean', () => {
	it.each<[unknown, boolean]>([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
		[' TRUE\n', true],
		['False', false],
	])('takes %p', (value, expected) => {
		expect(toBoolean(value, NAME)).toBe(expected);
	});

	it.each<[unknown, string]>([
		['yes', "'yes'"],
		[1, "'1'"],
		[null, 'it is empty'],
	])('rejects %p', (value, shown) => {
		expect(() => toBoolean(value, NAME)).toThrow(
			`'Some Field' is neither true nor false: ${shown}`,
		);
	});
});

describe('toChoice', () => {
	it.each(['b-C', 'B-c', ' b-C\n'])('takes %j for a value of the list', (value) => {
		expect(toChoice(value, NAME, ['a', 'b-C'])).toBe('b-C');
	});

	it.each(['c', 1])('rejects %p', (value) => {
		expect(() => toChoice(value, NAME, ['a', '1'])).toThrow(
			`'Some Field' has no option '${value}'`,
		);
	});

	it.each(BLANK)('rejects %j as empty', (value) => {
		expect(() => toChoice(value, NAME, ['a'])).toThrow("'Some Field' is empty");
	});
});

describe('toChoices', () => {
	const CHOICES = ['jobFailure', 'takeover', 'timeout'] as const;

	it.each<[string, unknown, string[]]>([
		['an array', ['timeout', 'jobFailure'], ['jobFailure', 'timeout']],
		['text with commas', ' timeout, takeover,', ['takeover', 'timeout']],
		['an array with blank entries', ['', null, 'timeout'], ['timeout']],
		['blank text', ' ', []],
		['any case, twice', ['TIMEOUT', ' timeOut '], ['timeout']],
	])('returns the choices in %s, in their own order', (_label, value, expected) => {
		expect(toChoices(value, NAME, CHOICES)).toEqual(expected);
	});

	it('rejects an unknown entry', () => {
		expect(() => toChoices('timeout, never', NAME, CHOICES)).toThrow(
			"'Some Field' has no option 'never'",
		);
	});

	it.each([undefined, null])('rejects %p, which an expression has given', (value) => {
		expect(() => toChoices(value, NAME, CHOICES)).toThrow("'Some Field' is empty");
	});
});

describe('The error for an invalid value', () => {
	it.each<[string, () => unknown]>([
		["Fill in 'Some Field'.", () => toRequiredText('', NAME)],
		["Change 'Some Field'.", () => toNumber(0, NAME)],
		["Enter a number in 'Some Field'.", () => toNumber('many', NAME)],
		['Choose one of: a, b.', () => toChoice('c', NAME, ['a', 'b'])],
	])('says what to do: %s', (advice, read) => {
		expect(read).toThrow(
			expect.objectContaining({
				details: {
					description: `${advice} If it is an expression, check its value for this item.`,
				},
			}) as Error,
		);
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
