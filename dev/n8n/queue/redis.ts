import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';

import { ManagedProcess } from '../ManagedProcess';
import { LOOPBACK } from '../ports';
import { findExecutable } from './findExecutable';

const READY_TIMEOUT_MS = 20_000;

/** Starts Redis on this port. Its data is in the folder and survives a restart. */
export async function startRedis(folder: string, port: number): Promise<ManagedProcess> {
	mkdirSync(folder, { recursive: true });
	const redis = await ManagedProcess.start(
		findExecutable('redis-server'),
		[
			...['--port', String(port), '--bind', LOOPBACK, '--dir', folder],
			...['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
		],
		{ name: 'Redis' },
	);
	await redis.waitUntilReady(async () => await isListening(port), READY_TIMEOUT_MS);
	return redis;
}

async function isListening(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, LOOPBACK);
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
