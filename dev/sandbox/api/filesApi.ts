import express from 'express';

import { type Answer, problem } from '../reply';
import { type Visit, deliver, meetFault, openVisit } from './RequestContext';
import type { World } from '../state/SandboxState';

/** The second origin. It knows no keys: whoever has a link that is still good gets the file. */
export function createFilesFace(world: () => World): express.Express {
	const app = express();
	app.set('x-powered-by', false);

	app.use(async (request, response) => {
		const [, id = '', index = ''] = /^\/files\/([^/]+)\/(\d+)$/.exec(request.path) ?? [];
		const named = { endpoint: 'file' as const, id, jobId: id || undefined };
		const visit = openVisit(world(), request, response, named);
		if (!(await meetFault(visit, response))) return;
		const isRead = request.method === 'GET' || request.method === 'HEAD';
		const query = new URLSearchParams(request.url.split('?')[1]);
		const answer = isRead ? openFile(visit, Number(index), query) : problem(405);
		await deliver(visit, response, answer);
	});
	return app;
}

function openFile({ world, id }: Visit, index: number, query: URLSearchParams): Answer {
	const now = world.catchUp();
	const job = world.jobs.get(id);
	return job ? world.links.open(job, index, query, now) : problem(404);
}
