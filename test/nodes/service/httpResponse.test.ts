import { Readable } from 'node:stream';

import { readText, toOpenResponse } from '../../../nodes/service/httpResponse';

const MB = 1024 * 1024;

const streamOf = (...chunks: Array<Buffer | string>) =>
	Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('readText', () => {
	it.each([
		['text', [Buffer.from('a'), Buffer.from('b')], 'ab'],
		['nothing', [], ''],
		['a character in two chunks', [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])], '€'],
		['text after a byte order mark', [Buffer.from('\ufeff{}')], '{}'],
	])('reads %s', async (_label, chunks, text) => {
		expect(await readText(streamOf(...chunks), 100)).toBe(text);
	});

	it('reads as many bytes as the limit', async () => {
		expect(await readText(streamOf('€', '€'), 6)).toBe('€€');
	});

	it('throws for one more, and reads no further', async () => {
		const stream = Readable.from([Buffer.alloc(MB), Buffer.alloc(1), Buffer.alloc(MB)]);

		const reading = readText(stream, MB);

		await expect(reading).rejects.toMatchObject({
			facts: { kind: 'tooLarge', detail: 'over 1 MB' },
		});
		expect(stream.destroyed).toBe(true);
	});
});

describe('toOpenResponse', () => {
	it("takes what n8n's HTTP helper returns", () => {
		const stream = streamOf('a');

		const response = toOpenResponse({ statusCode: 200, headers: { a: 'b' }, body: stream });

		expect(response).toEqual({ statusCode: 200, headers: { a: 'b' }, stream });
	});

	it.each([
		['nothing', undefined],
		['a text', 'ok'],
		['headers that are none', { headers: 'none' }],
	])('takes %s for a response without status and headers', (_label, response) => {
		expect(toOpenResponse(response)).toEqual({ statusCode: NaN, headers: {}, stream: undefined });
	});
});
