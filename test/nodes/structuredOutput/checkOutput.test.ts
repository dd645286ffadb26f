import { checkOutput, parseJsonOutput } from '../../../nodes/structuredOutput/checkOutput';

const OFFER = {
	type: 'object',
	properties: {
		name: { type: 'string', minLength: 1 },
		items: { items: { $ref: '#/$defs/item' } },
	},
	required: ['name', 'items'],
	$defs: { item: { properties: { price: { type: 'number' } }, required: ['price'] } },
};
const TOO_LARGE = ['it is too large to be checked'];
const NOT_ONE = [
	'it is not JSON, and it does not contain exactly one JSON object or array that matches',
];
const NO_OUTPUT = ['the job has no output'];
const NO_JSON = ['it is not JSON, and it does not contain exactly one JSON object or array'];

function mismatchesOf(output: unknown, schema: object): string[] {
	return checkOutput(output, { schema: JSON.stringify(schema) }).output_errors ?? [];
}

/** A list of `length` different numbers. */
function numbers(length: number): number[] {
	return Array.from({ length }, (_, index) => index);
}

describe('checkOutput', () => {
	it.each([
		['data', { name: 'Lamp', items: [{ price: 5 }] }],
		['text', '{"name": "Lamp", "items": [{"price": 5}]}'],
	])('returns the data of an output that matches and is %s', (_label, output) => {
		expect(checkOutput(output, { schema: JSON.stringify(OFFER) })).toEqual({
			output: { name: 'Lamp', items: [{ price: 5 }] },
		});
	});

	it('names the first three mismatches with their paths', () => {
		const items = [{ price: '5' }, {}, { price: null }, { price: true }];

		expect(mismatchesOf({ name: '', items }, OFFER)).toEqual([
			"'name' does not match minLength 1",
			"'items[0].price' must be number, not string",
			"'items[1].price' is missing",
		]);
	});

	// The library that checks adds a reason in its own words.
	const withReason = (text: string) => expect.stringContaining(`${text} (`) as string;

	it.each<[unknown, object, string[]]>([
		[undefined, {}, NO_OUTPUT],
		['', {}, NO_OUTPUT],
		[' \n\u00a0', {}, NO_OUTPUT],
		['done', {}, NO_JSON],
		[null, { type: 'object' }, ["'output' must be object, not null"]],
		['5', { type: ['string', 'null'] }, ["'output' must be string or null, not number"]],
		[{}, { required: ['a', 'b', 'c'] }, ["'a' is missing", "'b' is missing", "'c' is missing"]],
		[{ a: 'x' }, { properties: { a: { enum: ['b', 5] } } }, ['\'a\' must be one of "b", 5']],
		[{ a: 'x' }, { properties: { a: { const: [1] } } }, ["'a' does not match const [1]"]],
		[{ a: 1 }, { if: { required: ['a'] }, then: { required: ['b'] } }, ["'b' is missing"]],
		[
			{ a: 'x' },
			{ properties: { a: { anyOf: [{ type: 'number' }, { maxLength: 0 }] } } },
			[withReason("'a' does not match anyOf")],
		],
		[
			{ 'a b/c~': [['x']] },
			{ properties: { 'a b/c~': { items: { items: { type: 'null' } } } } },
			["'a b/c~[0][0]' must be null, not string"],
		],
		[
			{ 'x-a': 1, b: 1 },
			{ patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
			["'x-a' must be string, not number", "'b' is not allowed"],
		],
		[{ $id: 'x' }, { properties: { $id: { type: 'null' } } }, ["'$id' must be null, not string"]],
		['First {"a": 1}, again {"a": 1}', { required: ['b'] }, ["'b' is missing"]],
	])('describes what is wrong with %j for %j', (output, schema, mismatches) => {
		expect(mismatchesOf(output, schema)).toEqual(mismatches);
	});

	it('counts a check that fails as a mismatch', () => {
		// Half a character, which the library cannot write into a path.
		const output = { '\ud800': 1 };

		expect(mismatchesOf(output, { additionalProperties: { type: 'string' } })).toEqual([
			expect.stringMatching(/^it could not be checked: ./),
		]);
	});

	it('takes names of JavaScript for names like any others', () => {
		const output = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": "x"}') as unknown;
		const properties = JSON.parse(
			'{"__proto__": {"type": "string"}, "constructor": {"type": "number"}, "valueOf": {"type": "null"}}',
		) as unknown;

		expect(mismatchesOf(output, { properties })).toEqual([
			"'__proto__' must be string, not number",
		]);
	});

	it.each([
		['#/$defs/a~1b%20c', 'a/b c'],
		['#/%24defs/Page%3COffer%2C%20Price%3E', 'Page<Offer, Price>'],
		['#/$defs/%C3%A9', 'é'],
	])('follows the reference %s', (reference, name) => {
		const schema = { items: { $ref: reference }, $defs: { [name]: { type: 'string' } } };

		expect(mismatchesOf([5], schema)).toEqual(["'[0]' must be string, not number"]);
	});

	it.each([
		['the whole schema', 'a.json', ["'next.value' must be number, not string"]],
		['a part of it', 'a.json#/properties/value', ["'next' must be number, not object"]],
	])('follows a reference by $id to %s', (_label, $ref, mismatches) => {
		const schema = { $id: 'a.json', properties: { value: { type: 'number' }, next: { $ref } } };

		expect(mismatchesOf({ value: 1, next: { value: 'x' } }, schema)).toEqual(mismatches);
	});

	it.each<[string, string, string[]]>([
		[
			'2020-12',
			'https://json-schema.org/draft/2020-12/schema',
			["'[0]' does not match maxLength 1"],
		],
		['7', 'http://json-schema.org/draft-07/schema#', []],
	])('checks the neighbors of a reference as draft %s says', (_label, $schema, mismatches) => {
		const items = { $ref: '#/definitions/text', maxLength: 1 };

		expect(
			mismatchesOf(['ab'], { $schema, items, definitions: { text: { type: 'string' } } }),
		).toEqual(mismatches);
	});

	it('counts a check by references that lead in circles as a mismatch', () => {
		expect(mismatchesOf({}, { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toEqual([
			expect.stringMatching(/^it could not be checked: ./),
		]);
	});

	it.each<[string, string, boolean]>([
		['uri', 'https://de.wikipedia.org/wiki/Köln', true],
		['uri', 'example.com/a', false],
		['uri', 'https://a b.example', false],
		['ipv4', '192.168.0.1', true],
		['ipv4', '192.168.0.256', false],
		['ipv4', '192.168.0.1.', false],
		['ipv4', '٢.1.1.1', false],
		['ipv4', '1.1.1.1\n', false],
		['int64', 'anything', true],
	])('checks the format %s of %j: %j', (format, text, isValid) => {
		expect(mismatchesOf([text], { items: { format } })).toEqual(
			isValid ? [] : [`'[0]' does not match format "${format}"`],
		);
		expect(mismatchesOf([5], { items: { format } })).toEqual([]);
	});
});

// Where JSON is found, and what is repaired, is tested with `findJson`.
describe('checkOutput for an output with several pieces of JSON', () => {
	const PRICE = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
	const fenced = (...contents: string[]) =>
		contents.map((content) => `\`\`\`json\n${content}\n\`\`\``).join('\n');

	it.each<[string, string]>([
		['a footnote', 'It costs {"price": 5} [1]'],
		['an example of the form', 'As {"price": "a number"}: {"price": 5}'],
		['another block of code', fenced('{"query": "lamp"}', '{"price": 5}')],
		['the same data in another block', fenced('{"price": 5}', '{"price":5.0}')],
		['other data that matches, but not in a block', `${fenced('{"price": 5}')}\nnot {"price": 6}`],
	])('takes the only one that matches, beside %s', (_label, output) => {
		expect(checkOutput(output, { schema: JSON.stringify(PRICE) })).toMatchObject({
			output: { price: 5 },
		});
		expect(mismatchesOf(output, PRICE)).toEqual([]);
	});

	it.each<[string, string, string[]]>([
		['several match', 'It is {"price": 5} or {"price": 6}', NOT_ONE],
		['several blocks match', fenced('{"price": 5}', '{"price": 6}'), NOT_ONE],
		['none matches', 'It is {"price": "5"} [1]', NOT_ONE],
		['the only one does not match', 'It is {"price": "5"}', ["'price' must be number, not string"]],
		['the only block does not match', `${fenced('{}')}\nbut {"price": 5}`, ["'price' is missing"]],
		['the whole does not match', '[{"price": 5}]', ["'output' must be object, not array"]],
		['the one that matches is inside another one', '{"a": {"price": 5}}', ["'price' is missing"]],
		['the one that matches is in a list that is cut off', '[{"price": 5}, {"pri', NO_JSON],
		['there are too many', `{"price": 5} ${numbers(1_002).join('[] ')}`, NO_JSON],
	])('takes none if %s', (_label, output, mismatches) => {
		expect(checkOutput(output, { schema: JSON.stringify(PRICE) })).toEqual({
			output,
			output_errors: mismatches,
		});
	});
});

describe('checkOutput for a large output', () => {
	const kB = 1024;
	/** JSON text of `bytes` bytes: a list with one text, in which each character has two bytes. */
	const listOf = (bytes: number) => `["${'é'.repeat((bytes - 4) / 2)}"]`;

	it.each<[string, unknown, object, string[]]>([
		['text of 256 kB', listOf(256 * kB), { items: { type: 'string' } }, []],
		['text of more than 256 kB', listOf(256 * kB + 2), {}, TOO_LARGE],
		['data of more than 256 kB', JSON.parse(listOf(256 * kB + 2)), {}, TOO_LARGE],
		['201 levels', `${'['.repeat(201)}${']'.repeat(201)}`, {}, TOO_LARGE],
		['201 levels in prose', `It is ${'['.repeat(201)}${']'.repeat(201)}`, {}, TOO_LARGE],
		['more than may be unique', [numbers(501)], { items: { uniqueItems: true } }, TOO_LARGE],
		['as many entries as may be unique', [numbers(500)], { items: { uniqueItems: true } }, []],
		['more entries that may be equal', [numbers(501)], { items: { uniqueItems: false } }, []],
	])('checks, or refuses as too large, %s', (_label, output, schema, mismatches) => {
		expect(mismatchesOf(output, schema)).toEqual(mismatches);
	});

	it.each([
		['up to 4 kB', 4 * kB, 3],
		['above 4 kB', 4 * kB + 1, 1],
	])('names the first three mismatches of an output %s, or only one', (_label, bytes, count) => {
		const json = JSON.stringify(['a', 'b', 'c', 'd']);

		const mismatches = mismatchesOf(json.padEnd(bytes), { items: { type: 'number' } });

		expect(mismatches).toHaveLength(count);
	});
});

describe('parseJsonOutput', () => {
	it.each<[string, unknown]>([
		['plain text', 'The cheapest flight is at 9:40.'],
		['a bare number', '12'],
		['different code fences', '```json\n{"a":1}\n```\n```json\n{"b":2}\n```'],
		['what is data already', { price: 12 }],
		['more than a megabyte', `["${'x'.repeat(1_100_000)}"]`],
		['what is nested too deeply', '['.repeat(1_000) + ']'.repeat(1_000)],
	])('returns %s unchanged', (_label, output) => {
		expect(parseJsonOutput(output)).toBe(output);
	});
});
