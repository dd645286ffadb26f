import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { contentOf, headersOf, type Reply, takeBytes } from '../../../api/reply';
import { sendReply } from '../../../api/sendReply';
import type { LogEntry } from '../state/RequestLog';
import type { Answer, Truncation } from './applyFault';

/** Sends the answer and logs its status. Does nothing if the client has disconnected. */
export async function sendAnswer(
	response: ServerResponse,
	answer: Answer,
	logEntry: LogEntry,
): Promise<void> {
	if (response.destroyed) return;
	switch (answer.kind) {
		case 'silence':
			return;
		case 'reset':
		case 'refused':
			response.socket?.resetAndDestroy();
			return;
		case 'raw':
			logEntry.answered = answer.status;
			response.socket?.write(answer.head, 'latin1');
			response.socket?.end(answer.body);
			return;
		case 'reply':
			logEntry.answered = answer.reply.status;
			if (answer.truncation) await sendTruncated(response, answer.reply, answer.truncation);
			else await sendReply(response, answer.reply);
	}
}

async function sendTruncated(
	response: ServerResponse,
	reply: Reply,
	{ afterBytes, breakConnection }: Truncation,
): Promise<void> {
	const content = contentOf(reply);
	if (!content || response.req.method === 'HEAD') return await sendReply(response, reply);
	response.writeHead(reply.status, headersOf(reply, content));
	response.flushHeaders();
	const part = Readable.from(takeBytes(content.chunks(), afterBytes));
	await pipeline(part, response, { end: false }).catch(() => response.destroy());
	// Unlike `destroy`, `destroySoon` first delivers what has been written.
	if (breakConnection) response.socket?.destroySoon();
}
