import type { Socket } from 'node:net';

import type { RawReply } from './rawReply';

const DRIP_INTERVAL_MS = 1;

/**
 * Writes a reply to the connection itself, since Node.js would not let a server send most of them.
 * Calls `onStall` when the rest is not going to come, or very slowly.
 */
export function sendReply(
	socket: Socket,
	{ reply: { fault }, head, body }: RawReply,
	onStall: () => void,
): void {
	if (fault === 'hang') return onStall();
	if (fault === 'resetBefore') return void socket.resetAndDestroy();

	socket.write(head, 'latin1');
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

function drip(socket: Socket, body: Buffer): void {
	let sent = 0;
	const timer = setInterval(() => {
		if (socket.destroyed) clearInterval(timer);
		else if (sent < body.length) socket.write(body.subarray(sent, ++sent));
		else socket.end(() => clearInterval(timer));
	}, DRIP_INTERVAL_MS);
}
