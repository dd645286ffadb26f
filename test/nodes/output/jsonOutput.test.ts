import fc from 'fast-check';

import { parseJsonOutput } from '../../../nodes/output/jsonOutput';

describe('parseJsonOutput', () => {
	it.each([
		['an object', '{"price": 12}', { price: 12 }],
		['an array', '[1, 2]', [1, 2]],
		['an object with space around it', '\n  {"price": 12}\n\n', { price: 12 }],
		['an object in a code fence', '```json\n{"price": 12}\n```', { price: 12 }],
		['an array in a code fence without a language', '```\n[1, 2]\n```', [1, 2]],
		['a code fence with Windows line ends', '```JSON\r\n{"price": 12}\r\n```', { price: 12 }],
		['a code fence with space around it', ' \n```json  \n  {"price": 12}\n```\n', { price: 12 }],
		['a code fence with a code fence in its text', '```json\n{"a":"```"}\n```', { a: '```' }],
		['an object in a code fence of tildes', '~~~ JSON\n{"price": 12}\n~~~', { price: 12 }],
		['a code fence with a title', '```json title="a.json"\n{"a":1}\n```', { a: 1 }],
		['a code fence with attributes', '```json {1,3} file=[a]\n{"a":1}\n```', { a: 1 }],
		['a code fence with its language in braces', '~~~ {.json}\r\n[1]\n~~~', [1]],
		['an object in a code fence between text', 'It is:\n```json\n{"a":1}\n```\nBye', { a: 1 }],
		['equal code fences', '```\n{"a":1,"b":2}\n```\n```\n{"b":2,"a":1}\n```', { b: 2, a: 1 }],
		['a line break in a text', '{"a": "b\nc"}', { a: 'b\nc' }],
		['a comma too many, in a code fence', '```json\n[1, 2,]\n```', [1, 2]],
		['no-break spaces', '{\u00a0"a":\u00a01}', { a: 1 }],
		['JSON in JSON', '"{\\"a\\": 1}"', { a: 1 }],
		['JSON in JSON in a code fence', '```json\n"[1]"\n```', [1]],
		['an empty object', '{}', {}],
		['several lines', '{\n\t"a": {\n\t\t"b": [null]\n\t}\n}', { a: { b: [null] } }],
	])('parses %s', (_label, output, data) => {
		expect(parseJsonOutput(output)).toEqual(data);
	});

	it.each([
		['plain text', 'The cheapest flight is at 9:40.'],
		['nothing', ''],
		['a bare number', '12'],
		['a bare string', '"done"'],
		['a bare boolean', 'true'],
		['a bare null', 'null'],
		['a bare number in a code fence', '```json\n12\n```'],
		['broken JSON', '{"price": 12'],
		['broken JSON in a code fence', '```json\n{"price": 12\n```'],
		['text that begins like JSON', '[sic] that is what it said'],
		['an object between text', 'Here it is: {"price": 12}'],
		['a footnote', 'It costs 12 [1]'],
		['a code fence of code and one of JSON', '```sh\ngo\n```\n```json\n{"a":1}\n```'],
		['JSON in JSON in JSON', '"\\"[1]\\""'],
		['an object that is cut off', '{"price": 12, "name": "Des'],
		['an object with single quotes', "{'price': 12}"],
		['two code fences', '```json\n{"a":1}\n```\n```json\n{"b":2}\n```'],
		['a code fence with an array after an object', '```{"a":1}\n[2]\n```'],
		['an open code fence', '```json\n{"price": 12}'],
	])('returns %s as text', (_label, output) => {
		expect(parseJsonOutput(output)).toBe(output);
	});

	it.each([
		['an object', { price: 12 }],
		['an array', [1]],
		['a number', 12],
		['null', null],
		['nothing', undefined],
	])('returns what is not text unchanged: %s', (_label, output) => {
		expect(parseJsonOutput(output)).toBe(output);
	});

	it.each([
		['space', ' '],
		['line breaks', '\n'],
		['backticks', '`'],
		['word characters', 'a'],
	])('returns a megabyte of %s in a code fence as text', (_label, character) => {
		const output = `\`\`\`${character.repeat(1_000_000)}x\`\`\``;

		expect(parseJsonOutput(output)).toBe(output);
	});

	it('keeps more than a megabyte as text', () => {
		const output = `["${'x'.repeat(1_100_000)}"]`;

		expect(parseJsonOutput(output)).toBe(output);
	});

	it('keeps what is nested too deep to be data as text', () => {
		const output = '['.repeat(1_000) + ']'.repeat(1_000);

		expect(parseJsonOutput(output)).toBe(output);
	});

	it('parses the text of any object or array', () => {
		const data = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));

		fc.assert(
			fc.property(data, fc.constantFrom(0, 2), (value, indent) => {
				const text = JSON.stringify(value, null, indent);
				const sent = JSON.parse(text) as unknown;

				expect(parseJsonOutput(text)).toEqual(sent);
				expect(parseJsonOutput(`\`\`\`json\n${text}\n\`\`\``)).toEqual(sent);
			}),
		);
	});

	it('returns endless code fences as text', () => {
		const fences = '```json\n'.repeat(100_000);

		expect(parseJsonOutput(fences)).toBe(fences);
	});
});
