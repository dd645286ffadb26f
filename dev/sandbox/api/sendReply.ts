import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { type Answer, contentOf } from '../reply';

/** Where a body breaks off, and whether the connection breaks with it. */
export interface Cut {
	afterBytes: number;
	breaksConnection: boolean;
}

/** Sends an answer as it is. A client that leaves meanwhile is not our concern. */
export async function send(response: ServerResponse, answer: Answer, cut?: Cut): Promise<void> {
	if (response.destroyed) return;
	const content = contentOf(answer);
	response.writeHead(answer.status, {
		...(content && { 'Content-Type': content.type }),
		...(!content?.hidesSize && { 'Content-Length': String(content?.sizeBytes ?? 0) }),
		...answer.headers,
	});
	if (!content || response.req.method === 'HEAD') {
		response.end();
		return;
	}
	const chunks = content.chunks();
	if (cut) await sendPart(response, firstBytes(chunks, cut.afterBytes), cut);
	else if (Array.isArray(chunks)) response.end(Buffer.concat(chunks));
	else await pipeline(Readable.from(chunks), response).catch(() => response.destroy());
}

async function sendPart(
	response: ServerResponse,
	chunks: Iterable<Buffer>,
	cut: Cut,
): Promise<void> {
	response.flushHeaders();
	for (const chunk of chunks) {
		if (response.destroyed) return;
		await new Promise<void>((resolve) => response.write(chunk, () => resolve()));
	}
	// `destroySoon` lets what has been written arrive before the connection ends.
	if (cut.breaksConnection) response.socket?.destroySoon();
}

function* firstBytes(chunks: Iterable<Buffer>, count: number): Generator<Buffer> {
	let left = count;
	for (const chunk of chunks) {
		if (left <= 0) return;
		yield chunk.subarray(0, left);
		left -= chunk.length;
	}
}
