import type { INode } from 'n8n-workflow';

import type { Way } from '../Bench';
import { engineParts, nodeOf } from './engineParts';
import { NO_LIMITS } from './loadNodes';
import { spentOn, type Spent } from './resources';
import { runOne } from './runOne';

export interface GetJobsOptions {
	way: Way;
	url: string;
	jobId: string;
	items: number;
}

const WARM_UP_ITEMS = 200;

/** Reads a job's status once for each item. */
export async function getJobs({ way, url, jobId, items }: GetJobsOptions): Promise<Spent> {
	const parts = engineParts(url, { limits: NO_LIMITS });
	const get = async (count: number) => {
		const input = Array.from({ length: count }, () => ({ job_id: jobId }));
		const output = await runOne(nodeFor(way), parts, input);
		const good = output.filter(({ json }) => json.status === 'completed');
		if (good.length !== count) throw new Error(`${way}: ${good.length} of ${count} jobs`);
	};
	await get(WARM_UP_ITEMS);
	return await spentOn(async () => await get(items));
}

function nodeFor(way: Way): INode {
	const jobId = '={{ $json.job_id }}';
	if (way === 'minimal') return nodeOf('minimalGet', { jobId });
	return nodeOf('browserAgent', { resource: 'job', operation: 'get', jobId });
}
