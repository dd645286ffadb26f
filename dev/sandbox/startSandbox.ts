import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

import { createFilesApi } from '../../api/filesApi';
import { close, listen } from '../../api/httpServer';
import { createServiceApi } from '../../api/serviceApi';
import { createAdminApi } from './admin/adminApi';
import { SANDBOX_ADDRESS, SandboxBackend } from './backend';
import { SandboxAdmin } from './SandboxAdmin';
import { SandboxState } from './state/SandboxState';
import type { SandboxOptions } from './types';

const LOOPBACK = '127.0.0.1';

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
	const createService = () => {
		const state = new SandboxState(options);
		const backend = new SandboxBackend(state);
		const api = createServiceApi({ backend, url: () => url, filesUrl: () => filesUrl });
		return { state, api, files: createFilesApi(backend) };
	};
	let current = createService();
	const admin = new SandboxAdmin(
		() => current.state,
		() => {
			current = createService();
		},
	);
	const app = express();
	app.use('/_sandbox', createAdminApi(admin));
	app.use((request, response, next) => current.api(request, response, next));
	const filesApp = express();
	filesApp.use((request, response, next) => current.files(request, response, next));

	const place = { host: LOOPBACK };
	const service = await listen(app, SANDBOX_ADDRESS, { ...place, port: options.port ?? 0 });
	const url = originOf(service);
	const files = await listen(filesApp, SANDBOX_ADDRESS, {
		...place,
		port: options.filesPort ?? 0,
	}).catch(async (error: unknown) => {
		await close(service);
		throw error;
	});
	const filesUrl = originOf(files);

	return {
		url,
		filesUrl,
		admin,
		get state() {
			return current.state;
		},
		close: async () => {
			await Promise.all([close(service), close(files)]);
		},
	};
}

function originOf(server: Server): string {
	return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}
