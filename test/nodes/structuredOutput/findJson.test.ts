import fc from 'fast-check';

import { findJson, findOnlyJson } from '../../../nodes/structuredOutput/findJson';

const FENCE = '```';

/** A code fence with this content. */
function fenced(content: string, language = 'json'): string {
	return `${FENCE}${language}\n${content}\n${FENCE}`;
}

/** The data that is found in a text. */
function dataIn(text: string): unknown[] {
	return findJson(text).map((json) => JSON.parse(json) as unknown);
}

describe('findJson', () => {
	it.each<[string, string, unknown]>([
		['JSON text', ' {"a": [1, 2]}\n', { a: [1, 2] }],
		['JSON text of a number', '5', 5],
		['JSON text of a text', '"five"', 'five'],
		['JSON text of null', 'null', null],
		['JSON text that has other JSON in a text', '{"a": "{\\"b\\": 1}"}', { a: '{"b": 1}' }],
		[
			'JSON text with a code fence in a text',
			`{"a": "${FENCE}\\n[1]\\n${FENCE}"}`,
			{
				a: `${FENCE}\n[1]\n${FENCE}`,
			},
		],
	])('finds the whole text if it is %s', (_label, text, data) => {
		expect(dataIn(text)).toEqual([data]);
	});

	it.each<[string, string, unknown]>([
		['with a language', fenced('{"a": 1}'), { a: 1 }],
		['without a language', fenced('{"a": 1}', ''), { a: 1 }],
		['with a language in capitals', fenced('{"a": 1}', 'JSON'), { a: 1 }],
		['with a language after a space', fenced('{"a": 1}', ' json'), { a: 1 }],
		['with a language of signs', fenced('{"a": 1}', 'c++'), { a: 1 }],
		['with more than a language', fenced('{"a": 1}', 'json title="a.json"'), { a: 1 }],
		['of tildes', '~~~json\n{"a": 1}\n~~~', { a: 1 }],
		['of tildes with a language after a space', '~~~ JSON\n{"a": 1}\n~~~', { a: 1 }],
		['of four backticks', `${FENCE}\`json\n{"a": 1}\n${FENCE}\``, { a: 1 }],
		['with Windows line ends', fenced('{"a": 1}').replaceAll('\n', '\r\n'), { a: 1 }],
		['on one line', `${FENCE}json {"a": 1} ${FENCE}`, { a: 1 }],
		['on one line without spaces', `${FENCE}{"a": 1}${FENCE}`, { a: 1 }],
		['that ends on the last line of the data', `${FENCE}json\n{"a": 1}${FENCE}`, { a: 1 }],
		['that is indented', `1. Done:\n   ${FENCE}json\n   {"a": 1}\n   ${FENCE}`, { a: 1 }],
		['of tildes with backticks in a text', `~~~\n{"a": "${FENCE}"}\n~~~`, { a: FENCE }],
		[
			'with a code fence in a text',
			fenced(`{"a": "${FENCE}x${FENCE}"}`),
			{ a: `${FENCE}x${FENCE}` },
		],
		[
			'with a code fence in a text with raw line breaks',
			fenced(`{"a": "\n${FENCE}js\ngo()\n${FENCE}\n"}`),
			{ a: `\n${FENCE}js\ngo()\n${FENCE}\n` },
		],
		['with a number', `It is\n${fenced('5')}`, 5],
		[
			'between texts with brackets',
			`See [1]:\n${fenced('{"a": 1}')}\nBye [now] {"b": 2}`,
			{ a: 1 },
		],
		['of code before one of JSON', `${fenced('go([1])', 'js')}\n${fenced('{"a": 1}')}`, { a: 1 }],
		['in a longer fence', `${FENCE}\`md\n${fenced('{"a": 1}')}\n${FENCE}\``, { a: 1 }],
		[
			'in a fence of the same length',
			fenced(`# Done\n${fenced('{"a": 1}')}`, 'markdown'),
			{ a: 1 },
		],
		['in a fence of tildes', `~~~\nDone:\n${fenced('{"a": 1}')}\n~~~`, { a: 1 }],
	])('finds what is in a code fence %s', (_label, text, data) => {
		expect(dataIn(text)).toEqual([data]);
	});

	it.each<[string, string, unknown]>([
		['an object', 'The price is {"price": 5}, as of today.', { price: 5 }],
		['an array', 'The prices: [1, {"a": [2]}] (EUR)', [1, { a: [2] }]],
		['brackets within its texts', 'See {"a": "}{", "b": "\\"]"} there', { a: '}{', b: '"]' }],
		['an object after a bracket that is not closed', 'A ( { and {"a": 1}', { a: 1 }],
		['an object after half an interval', 'In [0, 1) it is {"a": 1}', { a: 1 }],
		['an array within brackets that are no JSON', '{ see [1, 2] }', [1, 2]],
		['an object in double braces', 'It is {{"a": 1}}', { a: 1 }],
		['an object in parentheses', 'It is ({"a": 1})', { a: 1 }],
		['an object in quotes that begin after a brace', 'It is {"{"a": 1}', { a: 1 }],
		['an object after a code fence', `${fenced('go()', 'js')}\nIt is {"a": 1}`, { a: 1 }],
		['an object in a code fence with a comment', fenced('// Done\n{"a": 1}'), { a: 1 }],
		['an object in a fence that is not closed', `${FENCE}json\n{"a": 1}`, { a: 1 }],
		[
			'an object with a fence in a text',
			`It is {"a": "${FENCE}x${FENCE}"}`,
			{ a: `${FENCE}x${FENCE}` },
		],
		['an object beside placeholders', '{name} and [x] are placeholders; {"a": 1} is not', { a: 1 }],
		['an object after a template', 'Not {"a": <number>} but {"a": 1}', { a: 1 }],
		[
			'an object after one that is broken',
			'Not {"a": {"a": 0}, b: {"a": 2}} but {"a": 1}',
			{ a: 1 },
		],
		['an object after a draft', '<think>{"a": </think>{"a": 1}', { a: 1 }],
		['an object after a draft in a text', '<think>{"b": "x</think>{"a": 1}', { a: 1 }],
		['an object beside checkboxes', '- [ ] Check\n- [x] Read\n\n{"a": 1}', { a: 1 }],
		['a checkbox, if there is nothing else', 'The list: [ ].', []],
	])('finds between other text %s', (_label, text, data) => {
		expect(dataIn(text)).toEqual([data]);
	});

	it.each<[string, string, unknown[]]>([
		['two objects', 'First {"a": 1}, then {"a": 2}', [{ a: 1 }, { a: 2 }]],
		['an object and footnotes', 'It is {"a": 1} [1] [2]', [{ a: 1 }, [1], [2]]],
		['an object and an empty array', 'It is {"a": 1}, not []', [{ a: 1 }, []]],
		['two code fences', `${fenced('[1]')}\n${fenced('[2]')}`, [[1], [2]]],
		['two objects in one code fence', fenced('{"a": 1}\n{"a": 2}'), [{ a: 1 }, { a: 2 }]],
		['objects in and after a draft', '<think>{"a": 1}</think>{"a": 2}', [{ a: 1 }, { a: 2 }]],
	])('finds all of several: %s', (_label, text, data) => {
		expect(dataIn(text)).toEqual(data);
	});

	it.each<[string, string, unknown]>([
		['objects', 'First {"a": 1}, again {"a":1}', { a: 1 }],
		[
			'objects with other orders of names',
			'{"a": {"b": 1, "c": 2}, "d": 3} is {"d": 3, "a": {"c": 2, "b": 1}}',
			{ a: { b: 1, c: 2 }, d: 3 },
		],
		['numbers in other spellings', '[1.0, 1e2] is [1, 100]', [1, 100]],
		[
			'code fences',
			`${fenced('{"a": 1, "b": 2}')}\nor\n${fenced('{"b": 2, "a": 1}')}`,
			{ a: 1, b: 2 },
		],
		[
			'names of JavaScript',
			'{"__proto__": 1, "a": 2} is {"a": 2, "__proto__": 1}',
			JSON.parse('{"__proto__": 1, "a": 2}'),
		],
	])('finds equal data once: %s', (_label, text, data) => {
		expect(dataIn(text)).toEqual([data]);
	});

	it.each<[string, string]>([
		['arrays in another order', '[1, 2] is not [2, 1]'],
		['a number and its text', '{"a": 1} is not {"a": "1"}'],
		['null and nothing', '{"a": null} is not {}'],
	])('takes for different: %s', (_label, text) => {
		expect(dataIn(text)).toHaveLength(2);
	});

	it.each<[string, string]>([
		['plain text', 'The price is 5'],
		['an empty text', ''],
		['a number within text', 'It is 5'],
		['a text within text', 'It is "{\\"a\\": 1}"'],
		['an object that is cut off', '{"a": 1'],
		['an object that is cut off after another one', '{"a": {"b": 1}, "c": '],
		['an object that is cut off in a text', '{"a": {"b": 1}, "c": "Des'],
		['an object that is cut off in a name', '{"a": {"b": 1}, "c'],
		['an object that is cut off in a literal', '{"a": {"b": 1}, "c": fals'],
		['an object that is cut off in a number', '{"a": {"]": 1}, "c": -1.'],
		['an object that is cut off after a comma', '{"a": {"b": 1}, '],
		['an array that is cut off after an object', '[{"a": 1}, {"a": 2}, {"a'],
		['an array in a code fence that is cut off', `${FENCE}json\n[{"a": 1}, {"a": `],
		['an object with single quotes', 'It is {\'a\': {"b": 1}}'],
		['an object with a name without quotes', '{"a": {"b": 1}, c: 2}'],
		['an object of JavaScript', 'It is {a: {"b": 1}} so'],
		['an object with a comment', '{"a": [1], /* two */ "b": 2}'],
		['an object with an invalid escape', '{"a": "\\d", "b": [1]}'],
		['an object with NaN', '{"a": [1], "b": NaN}'],
		['an object with an ellipsis', '{"a": [1], ...}'],
		['an array without a comma', '[{"a": 1} {"a": 2}]'],
		['an array with two commas', '[{"a": 1},, {"a": 2}]'],
		['an array of a comma', '[,]'],
		['an object with quotes in a text', '{"a": "5" wide", "b": {"c": 1}}'],
	])('finds nothing in %s', (_label, text) => {
		expect(findJson(text)).toEqual([]);
	});
});

describe('findJson repairs', () => {
	const NBSP = '\u00a0';

	it.each<[string, string, unknown]>([
		['a line break in a text', '{"a": "b\nc"}', { a: 'b\nc' }],
		['a Windows line break in a text', '{"a": "b\r\nc"}', { a: 'b\r\nc' }],
		['a tab in a text', '{"a": "b\tc"}', { a: 'b\tc' }],
		['a zero byte in a text', '{"a": "b\0c"}', { a: 'b\0c' }],
		['a line break in a name', '{"a\nb": 1}', { 'a\nb': 1 }],
		['a line break beside escapes', '{"a": "\\"\n\\\\\n\\u0041"}', { a: '"\n\\\nA' }],
		['a line break in a bare text', '"a\nb"', 'a\nb'],
		['a comma at the end of an object', '{"a": 1,}', { a: 1 }],
		['a comma at the end of an array', '[1, 2, ]', [1, 2]],
		['commas at the ends of nested arrays', '[[1,], [{"a": [2,\n],},],]', [[1], [{ a: [2] }]]],
		['commas at ends, but not in texts', '{"a": ",}", "b": [",]",],}', { a: ',}', b: [',]'] }],
		['no-break spaces between tokens', `{${NBSP}"a":${NBSP}1${NBSP}}`, { a: 1 }],
		['ideographic spaces between tokens', '[\u30001,\u30002]', [1, 2]],
		['thin spaces and unusual line ends', '{\u2009"a"\u2028:\u20291\u0085}', { a: 1 }],
		['a byte order mark', '\ufeff{"a":\ufeff1}', { a: 1 }],
		['white space but not in texts', `{"a": "${NBSP}\u3000",${NBSP}}`, { a: `${NBSP}\u3000` }],
		['all of them in a code fence', fenced(`{"a":${NBSP}"b\nc",\n}`), { a: 'b\nc' }],
		['all of them between other text', `It is {"a":${NBSP}"b\nc",\n}, OK?`, { a: 'b\nc' }],
	])('%s', (_label, text, data) => {
		expect(dataIn(text)).toEqual([data]);
	});

	it.each<[string, string]>([
		['a line break after a backslash', '{"a": "b\\\nc"}'],
		['a comma at the beginning', '[,1]'],
		['two commas at the end', '[1,,]'],
		['a missing quote', '{"a: 1}'],
		['a missing bracket', '[{"a": 1}'],
		['the wrong bracket', '{"a": [1}}'],
		['a semicolon', '{"a": 1;}'],
		['Python', "{'a': True, 'b': None}"],
		['a number with a plus', '[+1]'],
		['a number with leading zeros', '[007]'],
		['a number without an integer', '[.5]'],
		['a zero-width space between tokens', '{\u200b"a": 1}'],
	])('not %s', (_label, text) => {
		expect(findJson(text)).toEqual([]);
	});

	it('leaves JSON as it is', () => {
		fc.assert(
			fc.property(fc.json(), fc.constantFrom('', '\n', '\u00a0'), (json, space) => {
				expect(dataIn(`${space}${json}${space}`)).toEqual([JSON.parse(json)]);
			}),
		);
	});
});

describe('findJson unpacks', () => {
	const packed = (text: string) => JSON.stringify(text);

	it.each<[string, string, unknown]>([
		['an object', packed('{"a": 1}'), { a: 1 }],
		['an array with space around it', packed(' [1]\n'), [1]],
		['an object in a code fence', fenced(packed('{"a": 1}')), { a: 1 }],
		['an object with a code fence around it', packed(fenced('{"a": 1}')), { a: 1 }],
		['an object with repairs', packed('{"a": "b\nc",}'), { a: 'b\nc' }],
		['an object in a text with repairs', '"{\\"a\\":\n1}"', { a: 1 }],
	])('%s', (_label, text, data) => {
		expect(dataIn(text)).toEqual([data]);
	});

	it.each<[string, string, unknown]>([
		['a number', packed('5'), '5'],
		['a text', packed('"five"'), '"five"'],
		['other text', packed('It is {"a": 1}'), 'It is {"a": 1}'],
		['an object that is cut off', packed('{"a": 1'), '{"a": 1'],
		['an object that is packed twice', packed(packed('{"a": 1}')), packed('{"a": 1}')],
		['the values of an object', `{"a": ${packed('{"b": 1}')}}`, { a: '{"b": 1}' }],
	])('not %s', (_label, text, data) => {
		expect(dataIn(text)).toEqual([data]);
	});
});

describe('findOnlyJson', () => {
	it.each<[string, string, string | undefined]>([
		['the whole text', ' {"a": 1}', '{"a": 1}'],
		['the only code fence', fenced('{"a":1}'), '{"a":1}'],
		['the only code fence, of tildes', '~~~ JSON\n{"a":1}\n~~~', '{"a":1}'],
		['the only code fence in other text', `Here it is:\n${fenced('{"a":1}')}\nBye`, '{"a":1}'],
		['equal code fences', `${fenced('{"a":1}')}\n${fenced('{"a":1}')}`, '{"a":1}'],
		['the inner one of two code fences', fenced(fenced('{"a":1}'), 'markdown'), '{"a":1}'],
	])('returns %s', (_label, text, json) => {
		expect(findOnlyJson(text)).toBe(json);
	});

	it.each<[string, string]>([
		['an object between other text', 'It is {"a": 1}'],
		['different code fences', `${fenced('[1]')}\n${fenced('[2]')}`],
		['a code fence of JSON beside another one', `${fenced('go()', 'js')}\n${fenced('[1]')}`],
		['a code fence that is not closed', `${FENCE}json\n{"a": 1}`],
		['a code fence with more than JSON', fenced('// Done\n{"a": 1}')],
		['a code fence of backticks that tildes close', `${FENCE}json\n{"a": 1}\n~~~`],
	])('returns nothing for %s', (_label, text) => {
		expect(findOnlyJson(text)).toBeUndefined();
	});
});

describe('findJson with any text', () => {
	it('finds an object or array in text without brackets', () => {
		const text = fc.string().map((one) => one.replace(/[[\]{}`~]/g, ''));
		const value = fc
			.jsonValue({ maxDepth: 4 })
			.filter((one) => typeof one === 'object' && one !== null);
		fc.assert(
			fc.property(text, value, text, (before, data, after) => {
				const json = JSON.stringify(data);
				// With quotes around it, the whole text is the JSON of a text.
				fc.pre(!(before.trim().startsWith('"') && after.trim().endsWith('"')));

				expect(findJson(`${before}${json}${after}`)).toEqual([json]);
			}),
		);
	});

	it('finds nothing in JSON that is cut off anywhere', () => {
		// In a name that is cut off, brackets may be other text.
		const value = fc.array(fc.record({ name: fc.jsonValue() }), { minLength: 1 });
		fc.assert(
			fc.property(value, fc.nat(), (data, cut) => {
				const json = JSON.stringify(data);

				expect(findJson(json.slice(0, cut % json.length))).toEqual([]);
			}),
		);
	});

	it.each<[string, string]>([
		['brackets that are no JSON', '[x]'.repeat(1_700_000)],
		['5 MB of open brackets', '['.repeat(5_000_000)],
		['5 MB of open brackets in turn', '{['.repeat(2_500_000)],
		['brackets and quotes', '{"'.repeat(500_000)],
		['brackets, quotes and colons', '{"a":'.repeat(500_000)],
		['brackets and quotes that are escaped', '["\\"'.repeat(500_000)],
		['objects that are broken', '{"a":x'.repeat(200_000)],
		['brackets around very many values', `${'['.repeat(99)}${'1,'.repeat(400_000)}x`],
		['footnotes', Array.from({ length: 5_000 }, (_, index) => `[${index}]`).join(' ')],
		['white space', `{${' '.repeat(1_000_000)}`],
		['code fences', `${FENCE}json\n`.repeat(140_000)],
		['code fences of two kinds', `${FENCE}a\n~~~b\n`.repeat(100_000)],
		[
			'longer and longer code fences',
			Array.from({ length: 900 }, (_, index) => `${'`'.repeat(900 - index)}a\n`).join(''),
		],
		['open code fences with long values', `${FENCE}a\n["${'x'.repeat(1_000)}`.repeat(990)],
		['quotes', '"'.repeat(1_000_000)],
	])('gives up on a text of %s', (_label, text) => {
		expect(findJson(text)).toEqual([]);
	});

	it('never throws', () => {
		const pieces = fc.constantFrom(
			'{',
			'}',
			'[',
			']',
			'"',
			'\\',
			',',
			':',
			'a',
			'1',
			' ',
			FENCE,
			'~~~',
			'\n',
		);
		const text = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.string({ unit: pieces, maxLength: 60 }),
		);
		fc.assert(
			fc.property(text, (output) => {
				expect(() => [findJson(output), findOnlyJson(output)]).not.toThrow();
			}),
			{ numRuns: 2_000 },
		);
	});
});
