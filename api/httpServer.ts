import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';

import { type OwnAddress, rejectForeignRequests } from './rejectForeignRequests';

/** Long enough that a client does not send a poll on a connection that is just being closed. */
const KEEP_ALIVE_MS = 120_000;

/** Where a server listens. */
export interface Place {
	host: string;
	/** 0 picks a free port. */
	port: number;
}

/**
 * Starts a server that takes only requests for its own address. Rejects if the port is taken, with
 * `code` `EADDRINUSE`.
 */
export async function listen(
	listener: RequestListener,
	address: OwnAddress,
	{ host, port }: Place,
): Promise<Server> {
	const server = createServer(
		{ keepAliveTimeout: KEEP_ALIVE_MS },
		rejectForeignRequests(listener, address),
	);
	server.listen(port, host);
	await once(server, 'listening');
	return server;
}

/** Closes a server at once, including requests in progress. */
export async function close(server: Server): Promise<void> {
	await new Promise<void>((resolve) => {
		server.close(() => resolve());
		server.closeAllConnections();
	});
}
