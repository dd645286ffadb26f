import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { type Reply, contentOf, headersOf } from './reply';

/** Sends the reply. Does nothing, and does not reject, when the client has disconnected. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
	if (response.destroyed) return;
	const content = contentOf(reply);
	response.writeHead(reply.status, headersOf(reply, content));
	if (!content || response.req.method === 'HEAD') {
		response.end();
		return;
	}
	const chunks = content.chunks();
	if (Array.isArray(chunks)) response.end(Buffer.concat(chunks));
	else await pipeline(Readable.from(chunks), response).catch(() => response.destroy());
}
