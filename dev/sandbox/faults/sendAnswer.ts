import type { ServerResponse } from 'node:http';

import type { Answer } from './applyFault';
import type { RequestContext } from '../../../api/answerRequest';
import { sendReply } from '../../../api/sendReply';

/** Sends the answer after its delay. Does nothing if the client has disconnected. */
export async function sendAnswer(
	{ state, logEntry }: RequestContext,
	response: ServerResponse,
	answer: Answer,
): Promise<void> {
	await state.clock.sleep(logEntry.fault?.delaySeconds ?? 0);
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
			await sendReply(response, answer.reply, answer.truncation);
	}
}
