import { PAYLOAD_FIELDS, toPayload } from '../../../../nodes/BrowserAgent/operations/workflow';
import { NodeFailure } from '../../../../nodes/errors/NodeFailure';
import { valuesIn } from '../../../support/parameterContext';

type Field = Record<string, unknown>;

function readPayload(parameters: Record<string, unknown>): string | undefined {
	return toPayload(valuesIn(parameters, PAYLOAD_FIELDS));
}

function payloadOf(...assignments: unknown[]): string | undefined {
	return readPayload({ payloadType: 'fields', payloadFields: { assignments } });
}

function errorOf(read: () => unknown): NodeFailure {
	try {
		read();
	} catch (error) {
		if (error instanceof NodeFailure) return error;
	}
	throw new Error('No NodeFailure was thrown');
}

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
const NOT_JSON = "it can't be converted to JSON";

describe('readPayload of text', () => {
	it.each<[unknown, string | undefined]>([
		['vendor: ACME', 'vendor: ACME'],
		[' ', undefined],
		[{ a: 1 }, '{"a":1}'],
	])('takes %j', (payload, expected) => {
		expect(readPayload({ payload })).toBe(expected);
	});

	it('rejects a type of payload that does not exist', () => {
		expect(() => readPayload({ payloadType: 'xml' })).toThrow("'Payload Type' has no option 'xml'");
	});
});

describe('readPayload of fields', () => {
	it.each<[string, Field, unknown]>([
		['text', { type: 'string', value: 'ACME' }, 'ACME'],
		['text without a type', { value: 'ACME' }, 'ACME'],
		['an object as JSON text', { type: 'string', value: { a: 1 } }, '{"a":1}'],
		['a number', { type: 'number', value: -1.5 }, -1.5],
		['a number given as text', { type: 'number', value: '0' }, 0],
		['a boolean', { type: 'boolean', value: false }, false],
		['a boolean given as text', { type: 'boolean', value: 'true' }, true],
		['an array', { type: 'array', value: [1, { a: [] }] }, [1, { a: [] }]],
		['an array given as JSON', { type: 'array', value: ' [1, "b"]' }, [1, 'b']],
		['an object', { type: 'object', value: { a: null } }, { a: null }],
		['an object given as JSON', { type: 'object', value: '{"a": {}}' }, { a: {} }],
	])('sends a field with %s', (_label, field, expected) => {
		expect(JSON.parse(payloadOf({ name: 'input', ...field }) ?? '')).toEqual({ input: expected });
	});

	it('sends no payload without fields', () => {
		expect(payloadOf()).toBeUndefined();
		expect(readPayload({ payloadType: 'fields' })).toBeUndefined();
	});

	it('takes the last of equal names', () => {
		const fields = ['a', 'b', 'c'].map((value) => ({ name: 'same', type: 'string', value }));

		expect(payloadOf(...fields)).toBe('{"same":"c"}');
	});

	it('takes __proto__ for a name as any other', () => {
		const payload = payloadOf({ name: '__proto__', type: 'object', value: '{"x":1}' });

		expect(payload).toBe('{"__proto__":{"x":1}}');
		expect({}).not.toHaveProperty('x');
	});

	it.each<[string, Field | null, string]>([
		['a field without a name', { name: undefined, value: 'x' }, "name' is empty"],
		['null among the fields', null, "name' is empty"],
		['text for a number', { type: 'number', value: 'ten' }, "a' is not a number: 'ten'"],
		['text for an array', { type: 'array', value: '1, 2' }, "a' is not an array: '1, 2'"],
		['an array for an object', { type: 'object', value: [] }, "a' is not an object: '[]'"],
		['a cycle', { type: 'object', value: cyclic }, `a' is not an object: ${NOT_JSON}`],
		['an unknown type', { type: '__proto__', value: 'x' }, "a' has no option '__proto__'"],
	])('rejects %s', (_label, field, problem) => {
		const error = errorOf(() => payloadOf(field && { name: 'a', ...field }));

		expect(error.message).toBe(`'Payload Fields: ${problem}`);
	});

	it('cuts a long name and a long value in its message', () => {
		const field = { name: 'n'.repeat(1_000), type: 'array', value: deep(10_000) };

		expect(errorOf(() => payloadOf(field)).message.length).toBeLessThan(250);
	});

	it.each(['text', { assignments: 'x' }, { vendor: 'ACME' }, [{ name: 'vendor', value: 'ACME' }]])(
		'rejects %j, which is no list of fields',
		(payloadFields) => {
			expect(() => readPayload({ payloadType: 'fields', payloadFields })).toThrow(
				"'Payload Fields' is not a list of fields",
			);
		},
	);
});
