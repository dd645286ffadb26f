import type { INodeProperties } from 'n8n-workflow';

import {
	boolean,
	number,
	readAddedOptions,
	readCollection,
	readField,
	text,
	type ParameterContext,
} from '../../../nodes/parameters/field';
import { parameterContext } from '../../support/parameterContext';

function propertyOf(displayName: string, fields: Partial<INodeProperties> = {}): INodeProperties {
	return { displayName, name: 'someField', type: 'string', default: '', ...fields };
}

const FIELDS = {
	count: number(propertyOf('Count', { default: 1 })),
	isOn: boolean(propertyOf('Is On', { default: false })),
};

describe('readCollection', () => {
	it('reads what was added, and the default of the rest', () => {
		const context = parameterContext({ options: { isOn: 'true' } });

		expect(readCollection(context, 0, 'options', FIELDS)).toStrictEqual({ count: 1, isOn: true });
	});
});

function readOptions(parameters: Record<string, unknown>) {
	return readAddedOptions(parameterContext(parameters), 0, 'options', FIELDS);
}

describe('readAddedOptions', () => {
	it.each<[string, unknown, object]>([
		['what was added', { count: '3', isOn: 'true' }, { count: 3, isOn: true }],
		['nothing that was not added', { isOn: false }, { isOn: false }],
		['nothing that it does not know', { other: 1 }, {}],
		['nothing from null', null, {}],
		['nothing from empty text', '', {}],
	])('reads %s', (_label, collection, values) => {
		expect(readOptions({ options: collection })).toStrictEqual(values);
	});

	it.each<[string, unknown]>([
		['JSON text', '{"count": 3}'],
		['a list', [{ count: 3 }]],
	])('refuses %s', (_label, collection) => {
		expect(() => readOptions({ options: collection })).toThrow("'Options' must be an object");
	});

	it('reads nothing from a collection that is not stored', () => {
		expect(readOptions({})).toStrictEqual({});
	});

	it('takes a value that is undefined for an expression that gave none', () => {
		expect(() => readOptions({ options: { count: undefined } })).toThrow("'Count' is empty");
	});
});

describe('A text with [object Object]', () => {
	const field = text(propertyOf('Some Field'));
	const hintsOf = (read: (context: ParameterContext) => unknown, parameters: object) => {
		const hints: string[] = [];
		read({ ...parameterContext({ ...parameters }), showHint: (message) => hints.push(message) });
		return hints;
	};
	const HINT =
		'\'Some Field\' contains "[object Object]". If an expression inserts an object there, add .toJsonString() to it.';

	it.each<[string, unknown]>([
		['alone', '[object Object]'],
		['in an object', { assignments: [{ value: 'x [object Object]' }] }],
	])('is taken, with a hint: %s', (_label, someField) => {
		const hints = hintsOf((context) => readField(context, 0, field), { someField });

		expect(hints).toEqual([HINT]);
	});

	it('is taken in a collection, with a hint', () => {
		const hints = hintsOf((context) => readCollection(context, 0, 'options', { some: field }), {
			options: { some: 'x [object Object]' },
		});

		expect(hints).toEqual([HINT]);
	});

	it.each<[string, unknown]>([
		['other text', 'object Object'],
		['an object', { a: 1 }],
	])('gets no hint if it is %s', (_label, someField) => {
		expect(hintsOf((context) => readField(context, 0, field), { someField })).toEqual([]);
	});
});
