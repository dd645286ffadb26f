import fc from 'fast-check';

import { findJson } from '../../../nodes/structuredOutput/findJson';

const FENCE = '```';
const NBSP = '\u00a0';

/** A code fence with this content. */
function fenced(content: string, language = 'json'): string {
	return `${FENCE}${language}\n${content}\n${FENCE}`;
}

const packed = (text: string) => JSON.stringify(text);
const TWO_FENCES = `${fenced('[1]')}\n${fenced('[2]')}`;
const CODE = `\n${FENCE}js\ngo()\n${FENCE}\n`;

describe('findJson', () => {
	it.each<[string, string, unknown[]]>([
		// The whole text
		['JSON with a fence in a string', `{"a": "${FENCE}\\n[1]"}`, [{ a: `${FENCE}\n[1]` }]],
		['JSON after thoughts', '<think>{"a": 0}, [1</think>\n{"a": 1}', [{ a: 1 }]],
		['JSON with the end of thoughts in a string', '<think>[0</think>["</think>"]', [['</think>']]],
		['JSON after thoughts in thoughts', '<think>a <think>b</think> [0]</think>[1]', [[1]]],
		['JSON after two thoughts', '<think>[0]</think>\n<think>[1]</think>\n{"a": 1}', [{ a: 1 }]],

		// Code fences
		['a fence with attributes', fenced('{"a": 1}', 'json {1,3} title="a.json"'), [{ a: 1 }]],
		['a fence of tildes', '~~~ JSON\n{"a": 1}\n~~~', [{ a: 1 }]],
		['a fence of four backticks', `${FENCE}\`json\n{"a": 1}\n${FENCE}\``, [{ a: 1 }]],
		['a fence with Windows line ends', fenced('[1]').replaceAll('\n', '\r\n'), [[1]]],
		['an indented fence', `1. Done:\n   ${FENCE}json\n   [1]\n   ${FENCE}`, [[1]]],
		['a fence between brackets', `See [1]:\n${fenced('[2]')}\nBye [now] {"b": 3}`, [[2]]],
		['a fence beside closing brackets', `Done :]\n${fenced('[1]')}\na) Bye :}`, [[1]]],
		['a fence of code and one of JSON', `${fenced('go([1])', 'js')}\n${fenced('[2]')}`, [[2]]],
		['a fence that begins behind text', `The data: ${fenced('{"a": 1}')}`, [{ a: 1 }]],
		['a fence without a language behind text', `The data: ${fenced('[1]', '')}`, [[1]]],
		['inline code beside a fence', `${fenced('[1]')}\nUse \`[2]\``, [[1]]],
		['a fence in a string in a fence', fenced(`{"a": "${FENCE}\\n[1]"}`), [{ a: `${FENCE}\n[1]` }]],
		['a fence in a list', `1. ${FENCE}json\n   [1]\n   ${FENCE}\nBye`, [[1]]],
		['a fence whose line has attributes', `Data: ${fenced('[1]', 'json5 title="a"')}`, [[1]]],
		[
			'JSON that begins in the line of its fence',
			`${FENCE}json {\n"a": 1\n}\n${FENCE}`,
			[{ a: 1 }],
		],
		['two fences of JSON', `${fenced('[1]')}\n${fenced('[2]')}`, [[1], [2]]],

		// Brackets in other text
		['brackets in strings', 'See {"a": "}{", "b": "\\"]"} there', [{ a: '}{', b: '"]' }]],
		['quotes in prose', 'The 24" one costs {"price": 5}, not 5"', [{ price: 5 }]],
		['an object and footnotes', 'It is {"a": 1} [1] [2]', [{ a: 1 }, [1], [2]]],
		['placeholders beside an object', '{name} and [x] are not {"a": 1}', [{ a: 1 }]],
		['a task list beside an object', '- [ ] Check\n- [x] Read\n\n{"a": 1}', [{ a: 1 }]],
		['a fence in one line', `${FENCE}json {"a": 1} ${FENCE}`, [{ a: 1 }]],
		['a fence that ends behind the data', `${FENCE}json\n{"a": 1}${FENCE}`, [{ a: 1 }]],
		['inline code of two lines', 'It is `{"a":\n1}`', [{ a: 1 }]],
		['a fence with a comment', fenced('// Done\n{"a": 1}'), [{ a: 1 }]],
		['a fence with two objects', fenced('{"a": 1}\n{"a": 2}'), [{ a: 1 }, { a: 2 }]],
		['a fence in a fence', fenced(`# Done\n${fenced('[1]')}`, 'markdown'), [[1]]],
		['an object in a fence that stays open', `${FENCE}json\n{"a": 1}`, [{ a: 1 }]],
		['a fence beside a fence in a string', `{"a": "${FENCE}"}\n${fenced('[1]')}`, [[1]]],
		['a fence in a string with raw line breaks', fenced(`{"a": "${CODE}"}`), [{ a: CODE }]],

		// JSON in a JSON string
		['a packed object', packed('{"a": 1}'), [{ a: 1 }]],
		['a packed object in a fence', fenced(packed('{"a": 1}')), [{ a: 1 }]],
		['a packed fence', packed(fenced('{"a": 1}')), [{ a: 1 }]],
		['a packed number', packed('5'), ['5']],
		['two packed fences', packed(TWO_FENCES), [TWO_FENCES]],
		['an object that is packed twice', packed(packed('[1]')), [packed('[1]')]],
	])('finds %s', (_label, text, values) => {
		expect(findJson(text)).toEqual(values);
	});

	it.each<[string, string, unknown]>([
		['line breaks in a string', '{"a": "b\nc\r\n"}', { a: 'b\nc\r\n' }],
		['a tab and a zero byte in a string', '{"a": "b\t\0"}', { a: 'b\t\0' }],
		['line breaks beside escapes', '{"a": "\\"\n\\\\\n\\u0041"}', { a: '"\n\\\nA' }],
		['a comma at the end of an object', '{"a": 1,}', { a: 1 }],
		['a comma at the end of a list', '[1, 2, ]', [1, 2]],
		['commas at ends, but not in strings', '{"a": ",}", "b": [",]",],}', { a: ',}', b: [',]'] }],
		['no-break spaces', `{${NBSP}"a":${NBSP}${NBSP}1${NBSP}}`, { a: 1 }],
		['other spaces', '[\u30001,\u2009\u20282\u0085\u2029]\u3000', [1, 2]],
		['a byte order mark', '\ufeff{"a":\ufeff1}', { a: 1 }],
		['spaces, but not in strings', `{"a": "${NBSP}",${NBSP}}`, { a: NBSP }],
		['all of them in a fence', fenced(`{"a":${NBSP}"b\nc",\n}`), { a: 'b\nc' }],
	])('repairs %s', (_label, text, value) => {
		expect(findJson(text)).toEqual([value]);
	});

	it.each<[string, string]>([
		['plain text', 'The price is 5'],
		['an open task', 'Done? [ ]'],
		['an open task with a no-break space', `- [${NBSP}] Done?`],
		['a fence in a fence that is cut off', `${FENCE}\`\n${fenced('[1')}`],
		['a fence that is cut off within its mark', `${fenced('[0]')}\nFinally:\n\`\``],
		['a fence that is cut off within its mark, behind text', `${fenced('[0]')}\nFinally: \``],
		['a fence that is cut off after its mark, behind text', `${fenced('[0]')}\nNow: ${FENCE}`],
		['JSON in the line of its fence that is cut off', `${FENCE}json [\n  {"a": 1},\n`],
		['a fence that is cut off in its attributes', `${fenced('[0]')}\n1. ${FENCE}json5 titl`],
		['a fence of tildes in a list that is cut off', `${fenced('[0]')}\n- ~~~js`],
		[
			'a fence behind a quote that is cut off',
			`${fenced('[0]')}\n"${FENCE}json\n{"${FENCE}js${FENCE}`,
		],
		['thoughts in thoughts', '<think>a <think>b</think> {"a": 1}</think>Nothing found'],
		['thoughts in thoughts that are cut off', '<think>a <think>b</think> {"a": 1}'],
		['thoughts that are cut off', '<think>Is it {"a": 1}?'],
		[
			'a fence in an answer that is cut off, after a closing bracket',
			`Done :]\n{"a": "\n${fenced('[1]')}\nb`,
		],
		['an answer whose beginning is missing', '"a": 1}, {"a": 2}]'],
		['brackets that do not match', 'In [0, 1) it is {"a": 1}'],
		['a bracket of the wrong kind', '{"a": [1}}'],
		['JSON behind a bracket of the wrong kind', 'In [0, 1} it is {"a": 1}'],
		['single quotes', 'It is {\'a\': {"b": 1}}'],
		['a name without quotes', '{"a": {"b": 1}, c: 2}'],
		['nothing but a comma', '[,]'],
		['an invalid escape', '{"a": "\\d", "b": [1]}'],
		['a line break after a backslash', '{"a": "b\\\nc"}'],
		['a missing quote', '{"a: 1}'],
		['quotes in a string', '{"a": "5" wide", "b": {"c": 1}}'],
		['a zero-width space between tokens', '{\u200b"a": 1}'],
	])('finds nothing in %s', (_label, text) => {
		expect(findJson(text)).toEqual([]);
	});

	it.each<[string, string, unknown[]]>([
		['the whole text', ' {"a": 1}', [{ a: 1 }]],
		['what is in a fence', `Here it is:\n${fenced('[1]')}\nBye`, [[1]]],
		['what is in a fence that ends behind it', `${FENCE}\n[1]${FENCE}\nBye`, [[1]]],
		['what is in a fence in one line', `It is ${FENCE}json {"a": 1}${FENCE}.`, [{ a: 1 }]],
		[
			'a string with a fence in a fence',
			fenced(`["${FENCE}js\\n${FENCE}"]`),
			[[`${FENCE}js\n${FENCE}`]],
		],
		[
			'two fences with fences in strings',
			`${fenced(`["${FENCE}"]`)}\n${fenced(`["${FENCE}js"]`)}`,
			[[FENCE], [`${FENCE}js`]],
		],
		['the JSON beside other code', `${fenced('go()', 'js')}\n${fenced('[1]')}`, [[1]]],
		['nothing in prose', 'It is {"a": 1}', []],
		['nothing in a fence that stays open', `${FENCE}json\n{"a": 1}`, []],
		['nothing in a fence with more than JSON', fenced('// Done\n{"a": 1}'), []],
	])('finds, outside prose, %s', (_label, text, values) => {
		expect(findJson(text, { inProse: false })).toEqual(values);
	});
});

describe('findJson, for any answer', () => {
	const data = fc.oneof(fc.array(fc.jsonValue(), { minLength: 1 }), fc.object());
	const runs = { numRuns: 400 };

	it('changes nothing in valid JSON', () => {
		const space = fc.constantFrom('', '\n', NBSP);
		fc.assert(
			fc.property(
				fc.json().filter((one) => !one.startsWith('"')),
				space,
				(json, around) => {
					expect(findJson(`${around}${json}${around}`)).toEqual([JSON.parse(json)]);
				},
			),
			runs,
		);
	});

	it('finds an object or list in prose', () => {
		const prose = fc.string().map((text) => text.replace(/[[\]{}"`~]/g, ''));
		fc.assert(
			fc.property(prose, data, prose, (before, value, after) => {
				const json = JSON.stringify(value);

				expect(findJson(`${before}${json}${after}`)).toEqual([JSON.parse(json)]);
			}),
			runs,
		);
	});

	// What a model may write before its answer: it all looks like an answer, too.
	const beginning = fc.constantFrom(
		'',
		'Here it is:\n',
		'- [ ] open\n- [x] done\n',
		'As on [1] and in [2, 3]:\n',
		'Not {"name": "a", "price": 1}, but:\n',
		`A draft:\n${fenced('[{"name": "a", "price": 1}]')}\nThe answer:\n`,
		`${fenced('go({ a: [1] })', 'js')}\n`,
		`A draft:\n${fenced(`{"code": "${FENCE}"}`)}\nThe answer:\n`,
		`A draft:\n${fenced(packed(TWO_FENCES))}\n"The answer":\n`,
		'<think>Perhaps {"price": 1}? Or [</think>\n',
	);
	const opening = fc.constantFrom(
		'',
		`${FENCE}json\n`,
		`${FENCE}\n`,
		'~~~\n',
		`${FENCE}\`\n`,
		`It is ${FENCE}json\n`,
		`It is ${FENCE}json `,
	);

	it('finds nothing in an answer that is cut off anywhere', () => {
		fc.assert(
			fc.property(
				beginning,
				opening,
				data,
				fc.constantFrom(0, 2),
				fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
				(before, fence, value, indent, cut) => {
					const json = JSON.stringify(value, null, indent);
					// At least its first bracket, or its fence, shows that there is an answer.
					const least = fence === '' ? 1 : 0;
					const length = Math.max(least, Math.floor(cut * json.length));

					expect(findJson(before + fence + json.slice(0, length))).toEqual([]);
				},
			),
			{ numRuns: 3_000 },
		);
	});

	it('finds nothing in an answer with raw line breaks that is cut off anywhere', () => {
		const lines = fc.constantFrom(
			'Use',
			'See [1]',
			'{',
			'go();',
			'- [ ] open',
			FENCE,
			`${FENCE}js`,
		);
		const text = fc.array(lines, { maxLength: 8 }).map((all) => all.join('\n'));
		fc.assert(
			fc.property(
				beginning,
				opening,
				fc.array(fc.record({ name: text, price: fc.nat() }), { minLength: 1, maxLength: 3 }),
				fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
				(before, fence, value, cut) => {
					const json = JSON.stringify(value, null, 2).replaceAll('\\n', '\n');
					const length = Math.max(1, Math.floor(cut * json.length));

					expect(findJson(before + fence + json.slice(0, length))).toEqual([]);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it.each<[string, string]>([
		['open brackets', '['],
		['footnotes', '[1] '],
		['quotes', '"'],
		['brackets and quotes', '{"'],
		['brackets and escaped quotes', '["\\"'],
		['commas', '[ , ] '],
		['no-break spaces', NBSP],
		['fences', `${FENCE}json\n`],
		['fences with open brackets', `${FENCE}\n{\n`],
		['backticks', '`'],
	])('finds no object in 256 kB of %s, without taking quadratic time', (_label, unit) => {
		const text = unit.repeat((256 * 1024) / unit.length);

		for (const answer of [text, `[${text}`]) {
			expect(findJson(answer).filter((value) => typeof value === 'object')).toEqual([]);
		}
	});

	it('never throws', () => {
		const units = ['{', '}', '[', ']', '"', '\\', ',', ':', 'a', '1', ' ', FENCE, '~~~', '\n'];
		const text = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.string({ unit: fc.constantFrom(...units), maxLength: 60 }),
		);
		fc.assert(
			fc.property(text, fc.boolean(), (output, inProse) => {
				expect(() => findJson(output, { inProse })).not.toThrow();
			}),
			runs,
		);
	});
});
