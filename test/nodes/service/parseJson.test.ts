import fc from 'fast-check';

import { parseJson } from '../../../nodes/service/parseJson';

const nested = (levels: number, inner = '"a\\"b"') =>
	`${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

const list = (entries: number, entry = '[]') => `[${Array(entries).fill(entry).join()}]`;

describe('parseJson', () => {
	it.each([
		['an object', '{"a":1}', { a: 1 }],
		['a list', ' [1, "[{,:\\"", {}] ', [1, '[{,:"', {}]],
		['null', 'null', null],
		['broken JSON', '{"a":', '{"a":'],
		['brackets that were never opened', ']]}},"a"', ']]}},"a"'],
		['an open quote', '{"a', '{"a'],
		['an empty text', '', ''],
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

	it('reads any object beside a field that stays text', () => {
		const deep = nested(300);
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
				const text = JSON.stringify({ ...fields, deep: 0 }, null, 1).replace(/0\s*}$/, `${deep}}`);
				const sent = JSON.parse(JSON.stringify(fields)) as object;

				expect(parseJson(text)).toEqual({ ...sent, deep });
			}),
		);
	});

	it('reads characters of several bytes in a long text', () => {
		const data = ['x', '€😀'.repeat(100_000)];

		expect(parseJson(JSON.stringify(data))).toEqual(data);
	});

	it('keeps a field with the name of the prototype', () => {
		const data = parseJson(`{"__proto__":{"a":1},"deep":${nested(300)}}`) as object;

		expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
		expect(Object.entries(data)[0]).toEqual(['__proto__', { a: 1 }]);
	});
});

describe('JSON that is too much stays text', () => {
	it('takes 200 levels', () => {
		expect(parseJson(nested(200))).toEqual(JSON.parse(nested(200)));
	});

	it.each([201, 100_000])('a list of %i levels', (levels) => {
		expect(parseJson(nested(levels))).toBe(nested(levels));
	});

	it('takes a list of 100,000 objects', () => {
		expect(parseJson(list(83_000, '{"a":1}'))).toHaveLength(83_000);
	});

	it.each([
		['a list of 300,000 lists', list(300_000)],
		['a list of 300,000 numbers', list(300_000, '1')],
		['an object with 300,000 fields', `{${list(300_000, '"a":1').slice(1, -1)}}`],
	])('%s', (_label, text) => {
		expect(parseJson(text)).toBe(text);
	});

	it('only the fields of an object that are too deep', () => {
		const body = ` {"job_id" : "job_1","kept":${nested(199)},"output": ${nested(200)} } `;

		expect(parseJson(body)).toEqual({
			job_id: 'job_1',
			kept: JSON.parse(nested(199)) as unknown,
			output: nested(200),
		});
	});

	it('only the fields of an object that have too many values', () => {
		const body = `{"status":"completed","output":${list(300_000)},"error":{"a":[1]}}`;

		expect(parseJson(body)).toEqual({
			status: 'completed',
			output: list(300_000),
			error: { a: [1] },
		});
	});

	it('a field that has too many values together with those before it', () => {
		const data = parseJson(`{"a":${list(100_000)},"b":${list(100_000)},"c":[]}`) as object;

		expect(data).toEqual({ a: expect.any(Array) as unknown, b: list(100_000), c: [] });
	});

	it.each([
		['more text after it', `{"a":${nested(300)}} x`],
		['a second object after it', `{"a":${nested(300)}}{"b":1}`],
		['text before it', `x{"a":${nested(300)}}`],
		['a field without a name', `{${nested(300)}}`],
		['a name that is no text', `{a:${nested(300)}}`],
	])('an object with %s', (_label, text) => {
		expect(parseJson(text)).toBe(text);
	});
});
