import type { IncomingMessage, RequestListener } from 'node:http';

import { errorReply } from './reply';
import { sendReply } from './sendReply';

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** Keeps web pages in the developer's browser away from a server, also by DNS rebinding. */
export function rejectForeignRequests(listener: RequestListener): RequestListener {
	return (request, response) => {
		const reason = findForeignHeader(request);
		if (reason === undefined) listener(request, response);
		else void sendReply(response, errorReply(403, reason));
	};
}

function findForeignHeader({ headers, socket }: IncomingMessage): string | undefined {
	const host = headers.host?.toLowerCase() ?? '';
	if (!LOOPBACK_HOSTS.some((own) => host === `${own}:${socket.localPort}`)) {
		return "The Host header must be the sandbox's own loopback address and port";
	}
	// Only browsers send an origin.
	if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${host}`) {
		return 'The sandbox does not accept requests from other origins';
	}
	return undefined;
}
