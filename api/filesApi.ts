import express from 'express';

import type { Backend } from './backend';
import { type Reply, errorReply } from './reply';
import { sendReply } from './sendReply';

/**
 * Serves job files under `/files`, on an origin of their own or beside the service. A valid link is
 * enough; no API key is asked for.
 */
export function createFilesApi(backend: Backend): express.Express {
	const app = express();
	app.set('x-powered-by', false);

	app.use(async (request, response) => {
		// Wherever it is mounted, the whole path.
		const path = request.originalUrl;
		const [, id = ''] = /^\/files\/([^/?]+)/.exec(path) ?? [];
		const head = { method: request.method, url: path, headers: request.headers };
		const hook = backend.followRequest?.({ head, endpoint: 'file', jobId: id || undefined });
		response.on('error', () => response.destroy());

		if (!hook) return await sendReply(response, answer(backend, id, request.method, path));
		const mayRun = hook.letsOperationRun();
		await hook.send(response, mayRun ? answer(backend, id, request.method, path) : undefined);
	});
	return app;
}

function answer(backend: Backend, jobId: string, method: string, path: string): Reply {
	const isRead = method === 'GET' || method === 'HEAD';
	return isRead ? getFile(backend, jobId, path) : errorReply(405);
}

function getFile(backend: Backend, jobId: string, path: string): Reply {
	const now = backend.now();
	const job = backend.findJob(jobId);
	if (!job) return errorReply(404);
	const link = backend.fileLinks.find(path, now);
	if (link === 'unknown') return errorReply(403, 'The signature of this link does not match');
	if (link === 'expired') return errorReply(403, 'This link has expired');
	return job.files(now)[link.index]?.download() ?? errorReply(404);
}
