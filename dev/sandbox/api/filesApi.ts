import express from 'express';

import { type Reply, errorReply } from '../reply';
import type { SandboxState } from '../state/SandboxState';
import { fileContent } from './fileContent';
import { createRequestContext, injectFault, respond } from './RequestContext';

/** Serves job files on an origin of their own. A valid link is enough; no API key is asked for. */
export function createFilesApi(getState: () => SandboxState): express.Express {
	const app = express();
	app.set('x-powered-by', false);

	app.use(async (request, response) => {
		const [, id = ''] = /^\/files\/([^/]+)/.exec(request.path) ?? [];
		const target = { endpoint: 'file' as const, id, jobId: id || undefined };
		const context = createRequestContext(getState(), request, response, target);
		if (!(await injectFault(context, response))) return;
		const isRead = request.method === 'GET' || request.method === 'HEAD';
		const reply = isRead ? getFile(getState(), id, request.url) : errorReply(405);
		await respond(context, response, reply);
	});
	return app;
}

function getFile(state: SandboxState, jobId: string, path: string): Reply {
	const file = state.fileLinks.find(path, state.runDueEvents());
	if (!state.jobs.has(jobId)) return errorReply(404);
	if (file === 'unknown') return errorReply(403, 'The signature of this link does not match');
	if (file === 'expired') return errorReply(403, 'This link has expired');
	return { status: 200, content: fileContent(file) };
}
