import type { IncomingMessage, RequestListener } from 'node:http';

import { errorReply } from './reply';
import { sendReply } from './sendReply';

/** Which requests a service takes for its own. */
export interface OwnAddress {
	/** The service, at the beginning of a sentence. */
	name: string;
	/** What the Host header must be, at the end of a sentence. */
	hostRule: string;
	/** Origin of the pages that a proxy serves for this service, if there is one. */
	publicOrigin?: string;

	/** What a Host header may be on this port, in lower case. */
	hosts(port: number): string[];
}

/** The names that a machine has for itself. */
export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Keeps web pages in a browser of this machine away from a server, also those that use DNS
 * rebinding.
 */
export function rejectForeignRequests(
	listener: RequestListener,
	address: OwnAddress,
): RequestListener {
	return (request, response) => {
		const reason = findForeignHeader(request, address);
		if (reason === undefined) listener(request, response);
		else void sendReply(response, errorReply(403, reason));
	};
}

function findForeignHeader(
	{ headers, socket }: IncomingMessage,
	{ name, hostRule, hosts, publicOrigin }: OwnAddress,
): string | undefined {
	const host = headers.host?.toLowerCase() ?? '';
	if (!hosts(socket.localPort ?? 0).includes(host)) return `The Host header must be ${hostRule}`;

	// Only browsers send an origin.
	const origin = headers.origin?.toLowerCase();
	if (origin === undefined || origin === `http://${host}` || origin === publicOrigin) {
		return undefined;
	}
	return `${name} does not accept requests from other origins`;
}
