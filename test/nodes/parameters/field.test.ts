import type { INodeProperties } from 'n8n-workflow';

import {
	boolean,
	choice,
	number,
	readCollection,
	readField,
	requiredText,
	sortedProperties,
	text,
	wholeNumber,
	type Field,
} from '../../../nodes/parameters/field';
import { parameterContext } from '../../support/parameterContext';

function propertyOf(displayName: string, fields: Partial<INodeProperties> = {}): INodeProperties {
	return { displayName, name: 'someField', type: 'string', default: '', ...fields };
}

const PROPERTY = propertyOf('Some Field');
const COUNT = { ...PROPERTY, bounds: { min: 1, max: 9 } };
const LETTER = { ...PROPERTY, options: [{ name: 'A', value: 'a' }] };

describe('A parameter field', () => {
	it.each<[string, Field<unknown>, unknown, unknown]>([
		['text, without space around it', text(PROPERTY), ' a b\n', 'a b'],
		['empty text', text(PROPERTY), undefined, ''],
		['required text, as it is written', requiredText(PROPERTY), ' a ', ' a '],
		['a boolean', boolean(PROPERTY), 'false', false],
		['a number', number(PROPERTY), '0.5', 0.5],
		['a number with a minimum', number({ ...PROPERTY, min: 0 }), 0, 0],
		['a whole number', wholeNumber(COUNT), '9', 9],
		['a choice', choice(LETTER), 'a', 'a'],
	])('reads %s', (_label, field, value, expected) => {
		expect(field.read(value)).toBe(expected);
	});

	it.each<[string, Field<unknown>, unknown, string]>([
		['required text', requiredText(PROPERTY), ' ', "'Some Field' is empty"],
		['a boolean', boolean(PROPERTY), 'no', "'Some Field' is neither true nor false: 'no'"],
		['a number', number(PROPERTY), 0, "'Some Field' must be greater than 0 (got 0)"],
		[
			'a number with a minimum',
			number({ ...PROPERTY, min: 1 }),
			0,
			"'Some Field' must be at least 1 (got 0)",
		],
		['a whole number', wholeNumber(COUNT), 10, "'Some Field' must be between 1 and 9 (got 10)"],
		['a choice', choice(LETTER), 'c', "'Some Field' has no option 'c'"],
	])('names itself when it rejects %s', (_label, field, value, message) => {
		expect(() => field.read(value)).toThrow(message);
	});

	it('shows the bounds of a whole number', () => {
		expect(wholeNumber(COUNT).property).toEqual({
			...PROPERTY,
			typeOptions: { minValue: 1, maxValue: 9, numberPrecision: 0 },
		});
	});
});

describe('readField', () => {
	it.each<[string, Record<string, unknown>, string]>([
		['the value of the parameter', { someField: 'set' }, 'set'],
		['the default of a parameter that is not stored', {}, 'by default'],
	])('reads %s', (_label, parameters, expected) => {
		const field = text(propertyOf('Some Field', { default: 'by default' }));

		expect(readField(parameterContext(parameters), 0, field)).toBe(expected);
	});
});

const FIELDS = { count: number(propertyOf('Count')), isOn: boolean(propertyOf('Is On')) };

function readOptions(parameters: Record<string, unknown>) {
	return readCollection(parameterContext(parameters), 0, 'options', FIELDS);
}

describe('readCollection', () => {
	it.each<[string, unknown, object]>([
		['what was added', { count: '3', isOn: 'true' }, { count: 3, isOn: true }],
		['nothing that was not added', { isOn: false }, { isOn: false }],
		['nothing that it does not know', { other: 1 }, {}],
		['nothing from an empty collection', {}, {}],
		['nothing from null', null, {}],
		['nothing from text', 'count', {}],
	])('reads %s', (_label, collection, values) => {
		expect(readOptions({ options: collection })).toStrictEqual(values);
	});

	it('reads nothing from a collection that is not stored', () => {
		expect(readOptions({})).toStrictEqual({});
	});

	it('takes a value that is undefined for an expression that gave none', () => {
		expect(() => readOptions({ options: { count: undefined } })).toThrow("'Count' is empty");
	});
});

describe('sortedProperties', () => {
	it('sorts the fields by their names on the screen', () => {
		const fields = { a: text(propertyOf('C')), b: text(propertyOf('A')), c: text(propertyOf('B')) };

		expect(sortedProperties(fields).map(({ displayName }) => displayName)).toEqual(['A', 'B', 'C']);
	});
});
