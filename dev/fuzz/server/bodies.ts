import { gzipSync } from 'node:zlib';

import type { Body, LargeShape, Reply } from '../FuzzCase';

const OPEN_OBJECT = '{"a":';

/** The bytes of a reply's body, encoded as the reply says. */
export function bytesOf({ body, encoding }: Reply, fill: (text: string) => string): Buffer {
	if (body.kind === 'large') return large(body, encoding);
	return encode(plainBytesOf(body, fill), encoding);
}

function plainBytesOf(body: Exclude<Body, { kind: 'large' }>, fill: (text: string) => string) {
	switch (body.kind) {
		case 'bytes':
			return Buffer.from(body.base64, 'base64');
		case 'text':
			return Buffer.from(fill(body.text));
		case 'json':
			return Buffer.from(fill(withNested(JSON.stringify(body.value) ?? '')));
	}
}

// As text, since `JSON.stringify` fails on such data.
function withNested(json: string): string {
	return json.replace(/"\$NESTED(\d+)([LO])"/g, (_token, levels: string, kind: string) => {
		const [open, close] = kind === 'L' ? ['[', ']'] : [OPEN_OBJECT, '}'];
		return `${open.repeat(Number(levels))}1${close.repeat(Number(levels))}`;
	});
}

const known = new Map<string, Buffer>();

// Packing a hundred megabytes takes a second, so it is done once.
function large(body: Extract<Body, { kind: 'large' }>, encoding: Reply['encoding']): Buffer {
	const name = JSON.stringify([body, encoding]);
	const bytes = known.get(name) ?? encode(Buffer.from(largeText(body)), encoding);
	known.set(name, bytes);
	return bytes;
}

function largeText({ shape, bytes, field }: Extract<Body, { kind: 'large' }>): string {
	if (field === undefined) return TEXTS[shape](bytes);
	const isText = shape === 'letters' || shape === 'fences' || shape === 'brackets';
	const text = TEXTS[shape](bytes);
	return `{"status":"completed","job_id":"job_large","${field}":${isText ? JSON.stringify(text) : text}}`;
}

const TEXTS: Record<LargeShape, (bytes: number) => string> = {
	letters: (bytes) => 'a'.repeat(bytes),
	fences: (bytes) => '```\n'.repeat(bytes / 4),
	brackets: (bytes) => '[],'.repeat(bytes / 3),
	emptyArrays: (bytes) => `[${'[],'.repeat(bytes / 3)}[]]`,
	nestedArrays: (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
	nestedObjects: (bytes) => `${OPEN_OBJECT.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
	numbers: (bytes) => `[${'1,'.repeat(bytes / 2)}1]`,
	keys: (bytes) => {
		const pairs = Array.from({ length: bytes / 14 }, (_, index) => `"k${index}":${index}`);
		return `{${pairs.join(',')}}`;
	},
};

function encode(bytes: Buffer, encoding: Reply['encoding']): Buffer {
	if (encoding === 'gzip') return gzipSync(bytes, { level: 1 });
	if (encoding !== 'truncatedGzip') return bytes;
	const packed = gzipSync(bytes, { level: 1 });
	return packed.subarray(0, Math.ceil(packed.length / 2));
}
