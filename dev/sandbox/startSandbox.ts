import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

import { AdminClient } from './AdminClient';
import { createAdminFace } from './api/adminApi';
import { createFilesFace } from './api/filesApi';
import { createServiceFace } from './api/serviceApi';
import type { SandboxOptions } from './types';
import { World } from './state/SandboxState';

const LOOPBACK = '127.0.0.1';
/** Long, so that a client that polls now and then does not write into a connection just closed. */
const KEEP_ALIVE_MS = 120_000;

export interface Sandbox {
	/** The base address of the service, without `/v1` and without a trailing slash. */
	url: string;
	/** The origin that serves the files of the jobs. */
	filesUrl: string;
	admin: AdminClient;
	/** Ends at once, whatever is still being answered. */
	close(): Promise<void>;
}

/** Starts the service with its admin face, and the files' origin, on the loopback address only. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	let world = new World(options);
	const present = () => world;
	const app = express();
	app.use(
		'/_sandbox',
		createAdminFace(present, () => (world = new World(options))),
	);
	app.use(
		createServiceFace({
			world: present,
			url: () => url,
			filesUrl: () => filesUrl,
			validateRequests: options.validateRequests ?? true,
			validateResponses: options.validateResponses ?? false,
		}),
	);

	const service = await listen(app, options.port ?? 0);
	const url = addressOf(service);
	const files = await listen(createFilesFace(present), options.filesPort ?? 0).catch(
		async (error: unknown) => {
			await end(service);
			throw error;
		},
	);
	const filesUrl = addressOf(files);

	return {
		url,
		filesUrl,
		admin: new AdminClient(url),
		close: async () => {
			await Promise.all([end(service), end(files)]);
		},
	};
}

async function listen(listener: RequestListener, port: number): Promise<Server> {
	const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
	return await new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, LOOPBACK, () => resolve(server));
	});
}

async function end(server: Server): Promise<void> {
	await new Promise<void>((resolve) => {
		server.close(() => resolve());
		server.closeAllConnections();
	});
}

function addressOf(server: Server): string {
	return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}
