import { gzipSync } from 'node:zlib';

import type { Fault } from '../sandbox/types';
import type { Body, LargeShape, OddReply } from './FuzzCase';

const TEXTS: Record<LargeShape, (bytes: number) => string> = {
	letters: (bytes) => 'a'.repeat(bytes),
	brackets: (bytes) => '[],'.repeat(bytes / 3),
	emptyArrays: (bytes) => `[${'[],'.repeat(bytes / 3)}[]]`,
	nestedArrays: (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
	nestedObjects: (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
};

/** The bytes of a reply; `fill` puts in what tokens stand for. */
export function toRaw(reply: OddReply, fill: (text: string) => string): Fault['raw'] {
	const { body, encoding } = reply;
	const bytes = body.kind === 'large' ? large(body, encoding) : encode(plain(body, fill), encoding);
	const head = headOf(reply, bytes.length, fill);
	return { head, body: framed(reply, bytes).toString('base64') };
}

function headOf(
	{ status, headers, encoding, framing }: OddReply,
	length: number,
	fill: (text: string) => string,
): string {
	const lines = headers.map(([name, value]) => `${name}: ${fill(value)}`);
	if (framing === 'badChunks') lines.push('Transfer-Encoding: chunked');
	else if (framing !== 'noLength') lines.push(`Content-Length: ${length}`);
	if (encoding !== 'identity') lines.push('Content-Encoding: gzip');
	return `HTTP/1.1 ${status} Fuzz\r\n${['Connection: close', ...lines].join('\r\n')}\r\n\r\n`;
}

function framed({ framing }: OddReply, bytes: Buffer): Buffer {
	if (framing === 'badChunks') return Buffer.from('5\r\nhello\r\nnot a number\r\n');
	if (framing !== 'longBody') return bytes;
	return Buffer.concat([bytes, Buffer.from('and more that nobody has announced')]);
}

function plain(body: Exclude<Body, { kind: 'large' }>, fill: (text: string) => string): Buffer {
	if (body.kind === 'bytes') return Buffer.from(body.base64, 'base64');
	if (body.kind === 'text') return Buffer.from(fill(body.text));
	return Buffer.from(fill(JSON.stringify(body.value) ?? ''));
}

const known = new Map<string, Buffer>();

// Compressing a hundred megabytes takes a second, so it is done once.
function large(
	{ shape, bytes, field }: Extract<Body, { kind: 'large' }>,
	encoding: OddReply['encoding'],
): Buffer {
	const name = JSON.stringify([shape, bytes, field, encoding]);
	let compressed = known.get(name);
	if (compressed === undefined) {
		const text = TEXTS[shape](bytes);
		const value = shape === 'letters' || shape === 'brackets' ? JSON.stringify(text) : text;
		const job = `{"status":"completed","job_id":"job_large","${field}":${value}}`;
		compressed = encode(Buffer.from(field === undefined ? text : job), encoding);
		known.set(name, compressed);
	}
	return compressed;
}

function encode(bytes: Buffer, encoding: OddReply['encoding']): Buffer {
	if (encoding !== 'gzip' && encoding !== 'truncatedGzip') return bytes;
	const compressed = gzipSync(bytes, { level: 1 });
	return encoding === 'gzip'
		? compressed
		: compressed.subarray(0, Math.ceil(compressed.length / 2));
}
