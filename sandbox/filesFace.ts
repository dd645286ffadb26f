import type { RequestListener } from 'node:http';

import { type Answer, problem } from './Answer';
import { type Visit, deliver, meetFault, openVisit } from './visit';
import type { World } from './World';

/** The second origin. It knows no keys: whoever has a link that is still good gets the file. */
export function createFilesFace(world: () => World): RequestListener {
	return async (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://files.invalid');
		const [, jobId = '', index = ''] = /^\/files\/([^/]+)\/(\d+)$/.exec(pathname) ?? [];
		const visit = openVisit(world(), request, response, {
			endpoint: 'file',
			id: jobId,
			jobId: jobId || undefined,
		});
		if (!(await meetFault(visit, response))) return;
		const isRead = request.method === 'GET' || request.method === 'HEAD';
		const answer = isRead ? openFile(visit, Number(index), searchParams) : problem(405);
		await deliver(visit, response, answer);
	};
}

function openFile({ world, id }: Visit, index: number, query: URLSearchParams): Answer {
	const now = world.catchUp();
	const job = world.jobs.get(id);
	return job ? world.links.open(job, index, query, now) : problem(404);
}
