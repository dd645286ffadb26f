import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { type Reply, contentOf, headersOf, takeBytes } from './reply';
import type { Truncation } from '../dev/sandbox/faults/applyFault';

/** Sends the reply. Does nothing, and does not reject, when the client has disconnected. */
export async function sendReply(
	response: ServerResponse,
	reply: Reply,
	truncation?: Truncation,
): Promise<void> {
	if (response.destroyed) return;
	const content = contentOf(reply);
	response.writeHead(reply.status, headersOf(reply, content));
	if (!content || response.req.method === 'HEAD') {
		response.end();
		return;
	}
	const chunks = content.chunks();
	if (truncation) await sendTruncated(response, chunks, truncation);
	else if (Array.isArray(chunks)) response.end(Buffer.concat(chunks));
	else await pipeline(Readable.from(chunks), response).catch(() => response.destroy());
}

async function sendTruncated(
	response: ServerResponse,
	chunks: Iterable<Buffer>,
	{ afterBytes, breakConnection }: Truncation,
): Promise<void> {
	const part = Readable.from(takeBytes(chunks, afterBytes));
	response.flushHeaders();
	await pipeline(part, response, { end: false }).catch(() => response.destroy());
	// Unlike `destroy`, `destroySoon` first delivers what has been written.
	if (breakConnection) response.socket?.destroySoon();
}
