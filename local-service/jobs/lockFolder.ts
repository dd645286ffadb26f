import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { SettingError } from '../SettingError';

const PREFIX = 'lock-';
/** The longest path of a Unix socket on Linux. A longer one would be cut off silently. */
const MAX_SOCKET_PATH_BYTES = 107;
const CONNECT_LIMIT_MS = 2_000;
/** Services that start at once see each other, and try again after a random time. */
const TRIES = 5;
const MAX_PAUSE_MS = 300;

/**
 * Locks a folder with a Unix socket in it, which answers as long as this process lives, also to
 * another container, where a process ID would mean nothing. The socket has a name of its own, so
 * that one that doesn't answer is dead for good and can be removed. Each service listens before it
 * looks for others: of two, at least the later one sees the other.
 *
 * Throws a SettingError if another service answers, or if there can't be a socket. Returns what
 * unlocks the folder.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
	const name = PREFIX + randomBytes(4).toString('hex');
	for (let attempt = 1; ; attempt++) {
		const server = await listen(path.join(folder, name));
		if (!(await hasOtherService(folder, name))) return async () => await close(server);
		await close(server);
		if (attempt === TRIES) break;
		await delay(Math.random() * MAX_PAUSE_MS);
	}
	throw new SettingError(
		`SERVICE_DATA is in use: another service runs with the folder '${folder}'`,
	);
}

async function listen(socketPath: string): Promise<Server> {
	if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
		throw new SettingError(
			`SERVICE_DATA has too long a path: '${socketPath}' must have at most ${MAX_SOCKET_PATH_BYTES} bytes`,
		);
	}
	const server = createServer((socket) => socket.on('error', () => {}).end());
	server.unref();
	try {
		server.listen(socketPath);
		await once(server, 'listening');
		return server;
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		throw new SettingError(
			`SERVICE_DATA can't be locked: there can be no Unix socket at '${socketPath}'` +
				` (${code ?? message})`,
			{ cause: error },
		);
	}
}

/** Whether another service has a socket in the folder. Removes those of dead ones. */
async function hasOtherService(folder: string, ownName: string): Promise<boolean> {
	const names = readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name !== ownName);
	for (const name of names) {
		const socketPath = path.join(folder, name);
		if (await answersAt(socketPath)) return true;
		rmSync(socketPath, { recursive: true, force: true });
	}
	return false;
}

/** Whether a service is behind this socket. One that hangs is one, too. */
async function answersAt(socketPath: string): Promise<boolean> {
	const socket = connect(socketPath);
	try {
		await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
		return true;
	} catch (error) {
		const { code = '' } = error as NodeJS.ErrnoException;
		return !['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code);
	} finally {
		socket.destroy();
	}
}

async function close(server: Server): Promise<void> {
	await new Promise<void>((resolve) => server.close(() => resolve()));
}
