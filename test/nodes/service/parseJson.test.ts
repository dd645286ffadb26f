import fc from 'fast-check';

import { isTooLarge, parseBody, parseJson } from '../../../nodes/service/parseJson';

const nested = (levels: number, inner = '"a\\"b"') =>
	`${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

const list = (entries: number, entry = '[]') => `[${Array(entries).fill(entry).join()}]`;

const TOO_MANY = list(600_000, '1');

describe('parseJson', () => {
	it.each([
		['an object', '{"a":1}', { a: 1 }],
		['a list', ' [1, "[{,:\\"", {}] ', [1, '[{,:"', {}]],
		['broken JSON', '{"a":', '{"a":'],
		['JSON with text after it', '{"a":1}x', '{"a":1}x'],
		['brackets that were never opened', ']]}},"a"', ']]}},"a"'],
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

	it.each([
		['200 levels', nested(200)],
		['499,999 entries', list(499_998, '1')],
		['10,000 rows of 49 values', list(10_000, `{${list(48, '"a":1').slice(1, -1)}}`)],
	])('reads %s', (_label, text) => {
		expect(parseJson(text)).toEqual(JSON.parse(text));
		expect(isTooLarge(text)).toBe(false);
	});

	it.each([
		['201 levels', nested(201)],
		['100,000 levels', nested(100_000)],
		['600,000 values', TOO_MANY],
		['an object with 600,000 fields', `{${list(600_000, '"a":1').slice(1, -1)}}`],
		['a field that is too much', `{"a":1,"b":${TOO_MANY}}`],
	])('keeps %s as text', (_label, text) => {
		expect(parseJson(text)).toBe(text);
		expect(isTooLarge(text)).toBe(true);
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

	it('keeps only the fields as text that are too deep', () => {
		const body = ` {"job_id" : "job_1","kept":${nested(199)},"output": ${nested(200)} } `;

		expect(parseBody(body)).toEqual({
			job_id: 'job_1',
			kept: JSON.parse(nested(199)) as unknown,
			output: nested(200),
		});
	});

	it('keeps only the fields as text that have too many values, alone or with those before', () => {
		const half = list(300_000, '1');
		const body = `{"status":"completed","a":${half},"b":${half},"output":${TOO_MANY},"error":[1]}`;

		expect(parseBody(body)).toEqual({
			status: 'completed',
			a: JSON.parse(half) as unknown,
			b: half,
			output: TOO_MANY,
			error: [1],
		});
	});

	it.each([
		['that is cut off after an object', `{"output":[${'{"a":1},'.repeat(300_000)}{"a":1}`],
		['with a second one after it', `{"a":${TOO_MANY}}{"b":1}`],
		['with a field without a name', `{${TOO_MANY}}`],
		['that is a list', `[${TOO_MANY}]`],
	])('reads no part of a large body %s', (_label, text) => {
		expect(parseBody(text)).toBe(text);
	});
});
