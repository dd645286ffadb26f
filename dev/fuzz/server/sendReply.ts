import type { Socket } from 'node:net';

import type { Reply } from '../FuzzCase';
import { bytesOf } from './bodies';

const DRIP_INTERVAL_MS = 1;

/**
 * Writes a reply to the connection itself, since Node.js would not let a server send most of them.
 * Calls `onStall` when the rest is not going to come, or very slowly.
 */
export function sendReply(
	socket: Socket,
	reply: Reply,
	fill: (text: string) => string,
	onStall: () => void,
): void {
	const { fault } = reply;
	if (fault === 'hang') return onStall();
	if (fault === 'resetBefore') return void socket.resetAndDestroy();

	const body = bytesOf(reply, fill);
	socket.write(headOf(reply, body.length, fill), 'latin1');
	const half = body.subarray(0, Math.ceil(body.length / 2));
	switch (fault) {
		case 'hangInBody':
			socket.write(half);
			return onStall();
		case 'resetInBody':
			socket.write(half, () => setTimeout(() => socket.resetAndDestroy(), DRIP_INTERVAL_MS));
			return;
		case 'drip':
			onStall();
			return drip(socket, body);
		case 'shortBody':
			return void socket.end(half);
		case 'longBody':
			socket.write(body);
			return void socket.end('and more that nobody has announced');
		case 'badChunks':
			return void socket.end('5\r\nhello\r\nnot a number\r\n');
		default:
			return void socket.end(body);
	}
}

function headOf({ status, headers, encoding, fault }: Reply, length: number, fill: Fill): string {
	const framing =
		fault === 'noLength' || fault === 'drip'
			? []
			: fault === 'badChunks'
				? ['Transfer-Encoding: chunked']
				: [`Content-Length: ${length}`];
	const packed = encoding === 'identity' ? [] : ['Content-Encoding: gzip'];
	const own = headers.map(([name, value]) => `${name}: ${fill(value)}`);
	const lines = ['Connection: close', ...framing, ...packed, ...own];
	return `HTTP/1.1 ${status} Fuzz\r\n${lines.join('\r\n')}\r\n\r\n`;
}

type Fill = (text: string) => string;

function drip(socket: Socket, body: Buffer): void {
	let sent = 0;
	const timer = setInterval(() => {
		if (socket.destroyed) clearInterval(timer);
		else if (sent < body.length) socket.write(body.subarray(sent, ++sent));
		else socket.end(() => clearInterval(timer));
	}, DRIP_INTERVAL_MS);
}
