import express from 'express';

import { type Reply, errorReply } from './reply';
import { logRequest, takeFault, toAnswer } from './answerRequest';
import type { SandboxState } from '../dev/sandbox/state/SandboxState';
import { fileContent } from '../dev/sandbox/answers/fileContent';
import { sendAnswer } from '../dev/sandbox/faults/sendAnswer';

/** Serves job files on an origin of their own. A valid link is enough; no API key is asked for. */
export function createFilesApi(getState: () => SandboxState): express.Express {
	const app = express();
	app.set('x-powered-by', false);

	app.use(async (request, response) => {
		const [, id = ''] = /^\/files\/([^/]+)/.exec(request.path) ?? [];
		const context = logRequest(getState(), request, 'file', id || undefined);
		response.on('error', () => response.destroy());
		const reply = takeFault(context) ? answer(getState(), id, request) : undefined;
		await sendAnswer(context, response, toAnswer(context, reply));
	});
	return app;
}

function answer(state: SandboxState, jobId: string, { method, url }: express.Request): Reply {
	const isRead = method === 'GET' || method === 'HEAD';
	return isRead ? getFile(state, jobId, url) : errorReply(405);
}

function getFile(state: SandboxState, jobId: string, path: string): Reply {
	const file = state.fileLinks.find(path, state.runDueEvents());
	if (!state.jobs.has(jobId)) return errorReply(404);
	if (file === 'unknown') return errorReply(403, 'The signature of this link does not match');
	if (file === 'expired') return errorReply(403, 'This link has expired');
	return { status: 200, content: fileContent(file) };
}
