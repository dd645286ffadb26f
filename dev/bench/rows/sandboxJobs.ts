import axios from 'axios';

import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import type { Sandbox } from '../../sandbox/startSandbox';
import { KEY } from '../Bench';

const OPTIONS = { headers: { Authorization: `Bearer ${KEY}` }, proxy: false } as const;
const STARTS_IN_PARALLEL = 20;

/** Starts this many jobs that never end, with the rate limits off, and switches them on again. */
export async function endlessJobs(sandbox: Sandbox, count: number): Promise<string[]> {
	await sandbox.admin.setLimits('off');
	const scripts = Array.from({ length: count }, () => ['running']);
	await sandbox.admin.nextJobs(scripts);
	const jobIds = await limitConcurrency(scripts, STARTS_IN_PARALLEL, async () => {
		return await startJob(sandbox);
	});
	await sandbox.admin.setLimits('on');
	return jobIds;
}

async function startJob({ url }: Sandbox): Promise<string> {
	const { data } = await axios.post<{ job_id: string }>(
		`${url}/v1/run_browser_agent`,
		{ directive: 'Work' },
		OPTIONS,
	);
	return data.job_id;
}
