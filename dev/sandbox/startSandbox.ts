import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

import { createAdminApi } from './admin/adminApi';
import { createFilesApi } from '../../api/filesApi';
import { rejectForeignRequests } from '../../api/rejectForeignRequests';
import { createServiceApi } from '../../api/serviceApi';
import { SandboxAdmin } from './SandboxAdmin';
import { SandboxState } from './state/SandboxState';
import type { SandboxOptions } from './types';

const LOOPBACK = '127.0.0.1';
/** Long enough that a client does not send a poll on a connection that is just being closed. */
const KEEP_ALIVE_MS = 120_000;

/** A running sandbox. */
export interface Sandbox {
	/** Base URL of the service, without `/v1` and without a trailing slash. */
	url: string;
	filesUrl: string;
	admin: SandboxAdmin;
	/** For those in the same process; a reset replaces it. */
	readonly state: SandboxState;
	/** Closes both servers at once, including requests in progress. */
	close(): Promise<void>;
}

/**
 * Starts service and admin API on one loopback port, job files on another. Rejects if one is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	let state = new SandboxState(options);
	const getState = () => state;
	const admin = new SandboxAdmin(getState, () => {
		state = new SandboxState(options);
	});
	const app = express();
	app.use('/_sandbox', createAdminApi(admin));
	app.use(createServiceApi({ getState, url: () => url, filesUrl: () => filesUrl }));

	const service = await listen(app, options.port ?? 0);
	const url = originOf(service);
	const files = await listen(createFilesApi(getState), options.filesPort ?? 0).catch(
		async (error: unknown) => {
			await close(service);
			throw error;
		},
	);
	const filesUrl = originOf(files);

	return {
		url,
		filesUrl,
		admin,
		get state() {
			return state;
		},
		close: async () => {
			await Promise.all([close(service), close(files)]);
		},
	};
}

async function listen(listener: RequestListener, port: number): Promise<Server> {
	const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, rejectForeignRequests(listener));
	server.listen(port, LOOPBACK);
	await once(server, 'listening');
	return server;
}

async function close(server: Server): Promise<void> {
	await new Promise<void>((resolve) => {
		server.close(() => resolve());
		server.closeAllConnections();
	});
}

function originOf(server: Server): string {
	return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}
