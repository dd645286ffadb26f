import type { INodeProperties } from 'n8n-workflow';

import {
	boolean,
	collection,
	number,
	optional,
	text,
	valuesOf,
	type Fields,
} from '../../../nodes/parameters/field';
import { parameterContext, valuesIn } from '../../support/parameterContext';

function propertyOf(displayName: string, fields: Partial<INodeProperties> = {}): INodeProperties {
	return { displayName, name: 'someField', type: 'string', default: '', ...fields };
}

const FIELDS = {
	count: number(propertyOf('Count', { default: 1 })),
	isOn: optional(boolean(propertyOf('Is On', { default: false }))),
};

function optionsField<F extends Fields>(fields: F) {
	return collection({ displayName: 'Options', name: 'options' }, fields);
}

function readOptions(parameters: Record<string, unknown>): object {
	return { ...valuesIn(parameters, { options: optionsField(FIELDS) }).options };
}

describe('The values of fields', () => {
	const fields = {
		shown: text(propertyOf('Shown', { name: 'shown' })),
		hidden: text(propertyOf('Hidden', { name: 'hidden' })),
	};
	let evaluated: string[] = [];
	const context = {
		getNodeParameter(name: string) {
			evaluated.push(name);
			return name === 'hidden' ? Number.NaN : ' value ';
		},
	};

	beforeEach(() => {
		evaluated = [];
	});

	it('are evaluated and read only if they are asked for', () => {
		const { shown } = valuesOf(context, 0, fields);

		expect(shown).toBe('value');
		expect(evaluated).toEqual(['shown']);
	});

	it('are evaluated once, so that an expression can not give two values', () => {
		const values = valuesOf(context, 0, fields);

		expect([values.shown, values.shown]).toEqual(['value', 'value']);
		expect(evaluated).toEqual(['shown']);
	});

	it('throw for a value that is invalid, when it is asked for', () => {
		const values = valuesOf(context, 0, fields);

		expect(() => values.hidden).toThrow("'Hidden' has a value that can't be sent as text");
	});
});

describe('A collection', () => {
	it.each<[string, unknown, object]>([
		['what was added', { count: '3', isOn: 'true' }, { count: 3, isOn: true }],
		['the default of what was not added', { isOn: false }, { count: 1, isOn: false }],
		['no optional one that was not added', { count: 2 }, { count: 2, isOn: undefined }],
		['nothing that it does not know', { other: 1 }, { count: 1, isOn: undefined }],
		['nothing from null', null, { count: 1, isOn: undefined }],
		['nothing from empty text', '', { count: 1, isOn: undefined }],
	])('has %s', (_label, options, values) => {
		expect(readOptions({ options })).toStrictEqual(values);
	});

	it.each<[string, unknown]>([
		['JSON text', '{"count": 3}'],
		['a list', [{ count: 3 }]],
	])('is not read from %s', (_label, options) => {
		expect(() => readOptions({ options })).toThrow("'Options' must be an object");
	});

	it('has nothing if it is not stored', () => {
		expect(readOptions({})).toStrictEqual({ count: 1, isOn: undefined });
	});

	it.each([
		['an option', 'count', "'Count' is empty"],
		['an optional one', 'isOn', "'Is On' is neither true nor false"],
	])('takes the value undefined of %s for an expression that gave none', (_label, name, error) => {
		expect(() => readOptions({ options: { [name]: undefined } })).toThrow(error);
	});
});

describe('A text with [object Object]', () => {
	const field = text(propertyOf('Some Field'));
	const hintsOf = (read: Fields, parameters: Record<string, unknown>) => {
		const hints: string[] = [];
		const context = {
			...parameterContext(parameters),
			showHint: (message: string) => hints.push(message),
		};
		JSON.stringify(valuesOf(context, 0, read));
		return hints;
	};
	const HINT =
		'\'Some Field\' contains "[object Object]". If an expression inserts an object there, add .toJsonString() to it.';

	it.each<[string, unknown]>([
		['alone', '[object Object]'],
		['in an object', { assignments: [{ value: 'x [object Object]' }] }],
	])('is taken, with a hint: %s', (_label, someField) => {
		expect(hintsOf({ field }, { someField })).toEqual([HINT]);
	});

	it('is taken in a collection, with a hint', () => {
		const fields = { options: optionsField({ some: field }) };

		expect(hintsOf(fields, { options: { some: 'x [object Object]' } })).toEqual([HINT]);
	});

	it.each<[string, unknown]>([
		['other text', 'object Object'],
		['an object', { a: 1 }],
	])('gets no hint if it is %s', (_label, someField) => {
		expect(hintsOf({ field }, { someField })).toEqual([]);
	});
});
