const CHUNK_BYTES = 64 * 1024;

const pattern = Buffer.alloc(CHUNK_BYTES);
for (let index = 0, state = 1; index < CHUNK_BYTES; index++) {
	state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
	pattern[index] = state >>> 24;
}

/**
 * Generates the same bytes on every call. No two chunks are equal, so losing one changes the hash.
 */
export function* generatedBytes(sizeBytes: number): Generator<Buffer> {
	for (let offset = 0; offset < sizeBytes; offset += CHUNK_BYTES) {
		const chunk = Buffer.from(pattern);
		chunk.writeDoubleBE(offset, 0);
		yield chunk.subarray(0, Math.min(CHUNK_BYTES, sizeBytes - offset));
	}
}
