import type { IncomingMessage, RequestListener } from 'node:http';

import { errorReply } from '../reply';
import { sendReply } from './sendReply';

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];
const DEFAULT_HTTP_PORT = 80;

/**
 * Keeps web pages in the developer's browser away from a server, also by DNS rebinding: answers 403
 * to a request whose `Host` is not a loopback host with the server's own port, and to one whose
 * `Origin` is not that host's. Requests without an `Origin` pass, since only browsers send one.
 */
export function rejectForeignRequests(listener: RequestListener): RequestListener {
	return (request, response) => {
		const reason = findForeignHeader(request);
		if (reason === undefined) listener(request, response);
		else void sendReply(response, errorReply(403, reason));
	};
}

function findForeignHeader({ headers, socket }: IncomingMessage): string | undefined {
	const host = headers.host?.toLowerCase() ?? '';
	if (!ownHosts(socket.localPort).includes(host)) {
		return "The Host header must be the sandbox's own loopback address and port";
	}
	if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${host}`) {
		return 'The sandbox does not accept requests from other origins';
	}
	return undefined;
}

function ownHosts(port: number | undefined): string[] {
	const hosts = LOOPBACK_HOSTS.map((host) => `${host}:${port}`);
	return port === DEFAULT_HTTP_PORT ? [...hosts, ...LOOPBACK_HOSTS] : hosts;
}
