import express from 'express';

import { type Reply, errorReply } from '../reply';
import type { SandboxState } from '../state/SandboxState';
import { fileContent } from './fileContent';
import { type RequestContext, createRequestContext, injectFault, respond } from './RequestContext';

/** Serves job files on an origin of their own. A valid link is enough; no API key is asked for. */
export function createFilesApi(getState: () => SandboxState): express.Express {
	const app = express();
	app.set('x-powered-by', false);

	app.use(async (request, response) => {
		const [, id = '', index = ''] = /^\/files\/([^/]+)\/(\d+)$/.exec(request.path) ?? [];
		const target = { endpoint: 'file' as const, id, jobId: id || undefined };
		const context = createRequestContext(getState(), request, response, target);
		if (!(await injectFault(context, response))) return;
		const isRead = request.method === 'GET' || request.method === 'HEAD';
		const query = new URLSearchParams(request.url.split('?')[1]);
		const reply = isRead ? getFile(context, Number(index), query) : errorReply(405);
		await respond(context, response, reply);
	});
	return app;
}

function getFile({ state, id }: RequestContext, index: number, query: URLSearchParams): Reply {
	const now = state.runDueEvents();
	const job = state.jobs.get(id);
	if (!job) return errorReply(404);
	const link = state.fileLinks.verify(job, index, query, now);
	if (link === 'forged') return errorReply(403, 'The signature of this link does not match');
	if (link === 'expired') return errorReply(403, 'This link has expired');
	const file = job.files[index];
	return file ? { status: 200, content: fileContent(file) } : errorReply(404);
}
