import { format, Validator } from '@cfworker/json-schema';

import { checkOutput } from '../../../nodes/structuredOutput/checkOutput';

async function mismatchesOf(output: unknown, schema: object): Promise<string[]> {
	const check = await checkOutput(output, { schema: JSON.stringify(schema) });
	return 'mismatches' in check ? check.mismatches : [];
}

const OFFER = {
	type: 'object',
	properties: {
		name: { type: 'string', minLength: 1 },
		items: { items: { $ref: '#/$defs/item' } },
	},
	required: ['name', 'items'],
	$defs: { item: { properties: { price: { type: 'number' } }, required: ['price'] } },
};

describe('checkOutput', () => {
	it('returns the data of an output that matches', async () => {
		const check = await checkOutput('{"name": "Lamp", "items": [{"price": 5}]}', {
			schema: JSON.stringify(OFFER),
		});

		expect(check).toEqual({ data: { name: 'Lamp', items: [{ price: 5 }] } });
	});

	it('names the first three mismatches with their paths', async () => {
		const items = [{ price: '5' }, {}, { price: null }, { price: true }];

		expect(await mismatchesOf({ name: '', items }, OFFER)).toEqual([
			'name: string is too short (0 < 1)',
			'items[0].price: must be number, not string',
			'items[1].price: is missing',
		]);
	});

	it.each<[unknown, object, string[]]>([
		[undefined, {}, ['there is no output']],
		[
			'done',
			{},
			['the text is not JSON, and it does not contain exactly one JSON object or array'],
		],
		[[], { type: 'object' }, ['output: must be object, not array']],
		['5', { type: ['string', 'null'] }, ['output: must be string or null, not number']],
		[{ a: 1 }, { additionalProperties: false }, ['a: is not allowed']],
		[
			{ a: 'x' },
			{ properties: { a: { enum: ['b', 'c'] } } },
			['a: does not match any of ["b","c"]'],
		],
		[
			{ a: 'x' },
			{ properties: { a: { anyOf: [{ type: 'number' }, { maxLength: 0 }] } } },
			['a: does not match any subschemas'],
		],
		[
			{ a: 'x' },
			{ properties: { a: { allOf: [{ type: 'null' }] } } },
			['a: must be null, not string'],
		],
		[
			{ a: 'x' },
			{ properties: { a: { format: 'date' } } },
			['a: string does not match format "date"'],
		],
		[
			{ a: 'x' },
			{ properties: { a: { pattern: '^\\d"$' } } },
			['a: string does not match pattern "^\\d"$"'],
		],
		[
			{ 'a b/c~': [['x']] },
			{ properties: { 'a b/c~': { items: { items: { type: 'null' } } } } },
			['["a b/c~"][0][0]: must be null, not string'],
		],
		[
			{ a: { toString: 1 } },
			{ properties: { a: { required: ['b"c'] } } },
			['a["b\\"c"]: is missing'],
		],
		[[1, 2, 1], { uniqueItems: true }, ['output: duplicate items at indexes 0 and 2']],
		[
			{ 'x-a': 1, b: 1 },
			{ patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
			['["x-a"]: must be string, not number', 'b: is not allowed'],
		],
	])('describes what is wrong with %j for %j', async (output, schema, mismatches) => {
		expect(await mismatchesOf(output, schema)).toEqual(mismatches);
	});

	it('takes names of JavaScript for names like any others', async () => {
		const output = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": "x"}') as unknown;
		const properties = JSON.parse(
			'{"__proto__": {"type": "string"}, "constructor": {"type": "number"}, "valueOf": {"type": "null"}}',
		) as unknown;

		expect(await mismatchesOf(output, { properties })).toEqual([
			'__proto__: must be string, not number',
		]);
	});

	it('applies patterns of names that overlap, and counts their names as known', async () => {
		const schema = {
			patternProperties: { '^a': { type: 'number' }, b$: { minimum: 5 }, '^ab': {} },
			additionalProperties: false,
		};

		expect(await mismatchesOf({ ab: 7, 'a.b': 8, b: 5 }, schema)).toEqual([]);
		expect(await mismatchesOf({ ab: 1, axb: 'x' }, schema)).toEqual([
			'axb: must be number, not string',
			'ab: 1 is less than 5',
		]);
	});

	it('checks references within a schema that has a name', async () => {
		const schema = { $id: 'https://example.com/a.json', ...OFFER };

		expect(await mismatchesOf({ name: 'x', items: [{}] }, schema)).toEqual([
			'items[0].price: is missing',
		]);
	});

	it.each<[string, unknown, object, RegExp]>([
		[
			'a very long list of unique entries',
			Array.from({ length: 50_000 }, (_, index) => index),
			{ uniqueItems: true },
			/'uniqueItems' would take too long for a list of 50000 entries/,
		],
		[
			'a name with half a character',
			{ '\ud800': 1 },
			{ additionalProperties: { type: 'string' } },
			/it could not be checked/,
		],
	])('gives up on %s', async (_label, output, schema, message) => {
		expect(await mismatchesOf(output, schema)).toEqual([expect.stringMatching(message)]);
	});

	it('gives up on what exceeds the stack', async () => {
		jest.spyOn(Validator.prototype, 'validate').mockImplementation(() => {
			throw new RangeError('Maximum call stack size exceeded');
		});

		const mismatches = await mismatchesOf({}, {});
		jest.restoreAllMocks();

		expect(mismatches).toEqual(['it could not be checked: there are too many levels']);
	});

	it('names the first mismatch of very many', async () => {
		const list = Array.from({ length: 70_000 }, (_, index) => index);
		const schema = { properties: { list: { items: { type: 'string' } } } };

		expect(await mismatchesOf({ list }, schema)).toEqual(['list[0]: must be string, not number']);
	});

	it("leaves nothing in the library's list of formats", async () => {
		const before = Object.keys(format);

		await mismatchesOf({ a: 'x' }, { properties: { a: { pattern: '^y' } } });

		expect(Object.keys(format)).toEqual(before);
	});
});
