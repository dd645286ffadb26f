import { findInexactInteger } from '../../../nodes/structuredOutput/inexactInteger';

function found(json: string): string | undefined {
	return findInexactInteger(json, JSON.parse(json));
}

describe('findInexactInteger', () => {
	it.each([
		['12345678901234567890', '12345678901234567890'],
		['{"id": 12345678901234567890}', '12345678901234567890'],
		['{"a": [{"id": -12345678901234567890}]}', '-12345678901234567890'],
		['[9007199254740992, 9007199254740993]', '9007199254740993'],
		['[18014398509481985, 12345678901234567890]', '18014398509481985'],
		['[1234567890123456789012e1]', '1234567890123456789012e1'],
		['[1.2345678901234567890e19]', '1.2345678901234567890e19'],
		['[1e400]', '1e400'],
		[`[${'9'.repeat(400)}]`, '9'.repeat(400)],
		[`{"text": "2020", "n": 5, "id": 98765432109876543210}`, '98765432109876543210'],
	])('finds the first integer in %s that lost digits', (json, integer) => {
		expect(found(json)).toBe(integer);
	});

	it.each([
		['small integers', '[0, -5, 9007199254740991]'],
		['an integer above 2^53 that is exact', '[9007199254740992, -9007199254740992]'],
		['2^64', '[18446744073709551616]'],
		['an integer with zeros at its end', '[10000000000000000000000]'],
		['a power of ten', '[1e23, 1E+300, -1e22]'],
		['an integer in a text', '{"id": "12345678901234567890", "n": 1}'],
		['an integer in a name', '{"12345678901234567890": 1}'],
		['a fraction', '[0.12345678901234567890, 3.14159265358979323846]'],
		['a fraction above 2^53', '[12345678901234567890.5]'],
		['a very small number', '[1e-400]'],
		['a long fraction', `[9007199254740993.${'5'.repeat(100_000)}]`],
	])('finds none in %s', (_label, json) => {
		expect(found(json)).toBeUndefined();
	});

	it('finds none beside the data', () => {
		const output = 'Order 12345678901234567890 has {"items": 5}';

		expect(findInexactInteger(output, { items: 5 })).toBeUndefined();
	});

	it('finds one in JSON that was unpacked', () => {
		const output = JSON.stringify('{"id": 12345678901234567890}');

		expect(findInexactInteger(output, { id: Number('12345678901234567890') })).toBe(
			'12345678901234567890',
		);
	});

	it('finds none in an output that was data', () => {
		const data = { id: Number('12345678901234567890') };

		expect(findInexactInteger(data, data)).toBeUndefined();
	});
});
