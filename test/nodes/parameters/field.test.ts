import type { INodeProperties } from 'n8n-workflow';

import {
	boolean,
	number,
	readCollection,
	readField,
	requiredText,
} from '../../../nodes/parameters/field';
import { parameterContext } from '../../support/parameterContext';

function propertyOf(displayName: string, fields: Partial<INodeProperties> = {}): INodeProperties {
	return { displayName, name: 'someField', type: 'string', default: '', ...fields };
}

describe('readField', () => {
	it.each<[string, Record<string, unknown>, string]>([
		['the value of the parameter as it is written', { someField: ' set ' }, ' set '],
		['the default of a parameter that is not stored', {}, 'by default'],
	])('reads %s', (_label, parameters, expected) => {
		const field = requiredText(propertyOf('Some Field', { default: 'by default' }));

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
