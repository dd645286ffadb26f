import fc from 'fast-check';

import { isJsonTooDeep, parseBody, parseJson } from '../../../nodes/service/parseJson';

const nested = (levels: number, inner = '"a\\"b"') =>
	`${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

describe('parseJson', () => {
	it.each([
		['broken JSON', '{"a":', '{"a":'],
		['brackets that were never opened', ']]}},"a"', ']]}},"a"'],
		['brackets that are never closed', '['.repeat(300), '['.repeat(300)],
	])('takes %s', (_label, text, data) => {
		expect(parseJson(text)).toEqual(data);
	});

	it('reads any JSON', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = JSON.stringify(value);

				expect(parseJson(text)).toEqual(JSON.parse(text));
			}),
		);
	});

	it('reads 200 levels', () => {
		const text = nested(200);

		expect(parseJson(text)).toEqual(JSON.parse(text));
		expect(isJsonTooDeep(text)).toBe(false);
	});

	it.each([
		['201 levels', nested(201)],
		['100,000 levels', nested(100_000)],
		['a field with 200 levels', `{"a":1,"b":${nested(200)}}`],
	])('keeps %s as text', (_label, text) => {
		expect(parseJson(text)).toBe(text);
		expect(isJsonTooDeep(text)).toBe(true);
	});
});

describe('parseBody', () => {
	it('reads any object beside a field that stays text', () => {
		const deep = nested(300);
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
				const text = JSON.stringify({ ...fields, deep: 0 }, null, 1).replace(/0\s*}$/, `${deep}}`);
				const sent = JSON.parse(JSON.stringify(fields)) as object;

				expect(parseBody(text)).toEqual({ ...sent, deep });
			}),
		);
	});

	it('keeps any field that is too deep as its text', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(201, 100_000), (inner, levels) => {
				const text = nested(levels, JSON.stringify(inner, null, 1));

				expect(parseBody(`{"output":${text}, "a":[]}`)).toEqual({ output: text, a: [] });
			}),
			{ numRuns: 20 },
		);
	});

	it.each([
		['that is cut off after a value', `{"output":${nested(300)},"a":`],
		['with a second one after it', `{"a":${nested(300)}}{"b":1}`],
		['with a field without a name', `{${nested(300)}}`],
		['with a string that does not end', `{"output":${nested(300)},"a":"b`],
		['with other brackets than were opened', `{"a":${'['.repeat(300)}${'}'.repeat(300)}}}`],
		['that ends within a string', '{"a":"b\\'],
	])('reads no part of a body %s', (_label, text) => {
		expect(parseBody(text)).toBe(text);
	});
});

it('does not parse what was cut off, which takes long if it is deep', () => {
	const parse = jest.spyOn(JSON, 'parse');
	const cutOff = `{"output":${'['.repeat(1_000)}`;

	expect(parseBody(cutOff)).toBe(cutOff);
	expect(parse).not.toHaveBeenCalled();
});
