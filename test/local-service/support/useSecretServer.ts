import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What must not be reached: a server and a UDP socket on loopback, for the tests of a file. */
export interface SecretServer {
	/** Of both, on 127.0.0.1 and, where there is one, on ::1. */
	readonly port: number;
	/** TCP connections and requests in this test. */
	readonly contacts: number;
	/** UDP packets in this test. */
	readonly packets: number;
}

/** What the server says to whoever reaches it. */
export const SECRET = 'the-secret-of-the-private-network';

/** Starts them. Each TCP connection counts, whatever is sent over it, and each
 * request, which may use one that is open already. */
export function useSecretServer(): SecretServer {
	let contacts = 0;
	let packets = 0;
	let port = 0;
	const servers: Server[] = [];
	const sockets: Socket[] = [];

	const listen = async (address: string) => {
		const server = createServer((_request, response) => {
			response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
			response.end(SECRET);
		});
		server.on('connection', () => contacts++);
		server.on('request', () => contacts++);
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject).listen(port, address, resolve);
		});
		servers.push(server);
		port = (server.address() as AddressInfo).port;

		const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
		socket.on('message', () => packets++);
		await new Promise<void>((resolve) => socket.bind(port, address, resolve));
		sockets.push(socket);
	};

	beforeAll(async () => {
		await listen('127.0.0.1');
		await listen('::1').catch(() => {});
	});
	beforeEach(() => {
		contacts = 0;
		packets = 0;
	});
	afterAll(async () => {
		for (const socket of sockets) socket.close();
		for (const server of servers) {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		}
	});

	return {
		get port() {
			return port;
		},
		get contacts() {
			return contacts;
		},
		get packets() {
			return packets;
		},
	};
}
