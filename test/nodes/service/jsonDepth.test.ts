import fc from 'fast-check';

import { limitDepth } from '../../../nodes/service/jsonDepth';

const nested = (levels: number, inner = '"a\\"b"') =>
	`${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

describe('limitDepth', () => {
	it('keeps data of 200 levels', () => {
		const data = JSON.parse(nested(200)) as unknown;

		expect(limitDepth(data)).toBe(data);
	});

	it.each([201, 100_000])('turns a list of %i levels into its JSON text', (levels) => {
		expect(limitDepth(JSON.parse(nested(levels)))).toBe(nested(levels));
	});

	it('turns only the fields of an object that are too deep into text', () => {
		const body = `{"job_id":"job_1","kept":${nested(199)},"output":${nested(200)}}`;

		expect(limitDepth(JSON.parse(body))).toEqual({
			job_id: 'job_1',
			kept: JSON.parse(nested(199)) as unknown,
			output: nested(200),
		});
	});

	it('writes objects, lists, texts and other values as JSON does', () => {
		fc.assert(
			fc.property(fc.json(), (inner) => {
				const text = nested(201, JSON.stringify(JSON.parse(inner)));

				expect(limitDepth(JSON.parse(text))).toBe(text);
			}),
		);
	});

	it.each([null, 1, 'text', true, {}, []])('keeps %j', (value) => {
		expect(limitDepth(value)).toBe(value);
	});
});
