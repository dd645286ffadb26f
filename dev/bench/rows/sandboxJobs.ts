import axios from 'axios';

import { limitConcurrency } from '../../../nodes/async/limitConcurrency';
import type { Sandbox } from '../../sandbox/startSandbox';
import type { FileScript, JobScript } from '../../sandbox/types';
import { KEY } from '../key';

const LONG_SECONDS = 100 * 3600;
const STARTS_IN_PARALLEL = 20;

/** Starts a job, lets it end at once, and returns its ID. */
export async function finishedJob(
	sandbox: Sandbox,
	{ files }: { files?: FileScript[] },
): Promise<string> {
	await sandbox.admin.nextJob({ statuses: ['completed'], files });
	const jobId = await startJob(sandbox);
	await ask(sandbox, `get_job_status/${jobId}`);
	return jobId;
}

/** Starts so many jobs that don't end, beyond the rate limits, and then sets these back. */
export async function endlessJobs(sandbox: Sandbox, count: number): Promise<string[]> {
	await sandbox.admin.setLimits('off');
	const endless: JobScript = { statuses: [{ status: 'running', seconds: LONG_SECONDS }] };
	const scripts = Array.from({ length: count }, () => endless);
	await sandbox.admin.nextJobs(scripts);
	const jobIds = await limitConcurrency(scripts, STARTS_IN_PARALLEL, async () => {
		return await startJob(sandbox);
	});
	await sandbox.admin.setLimits('on');
	return jobIds;
}

/** The address of a job's only file. */
export async function linkOf(sandbox: Sandbox, jobId: string): Promise<string> {
	const { files } = (await ask(sandbox, `get_job_files/${jobId}`)) as {
		files: Array<{ download_url: string }>;
	};
	const [file] = files;
	if (file === undefined) throw new Error('The sandbox lists no file');
	return file.download_url;
}

async function startJob({ url }: Sandbox): Promise<string> {
	const { data } = await axios.post<{ job_id: string }>(
		`${url}/v1/run_browser_agent`,
		{ directive: 'Work' },
		{ headers: signed, proxy: false },
	);
	return data.job_id;
}

async function ask({ url }: Sandbox, path: string): Promise<unknown> {
	return (await axios.get<unknown>(`${url}/v1/${path}`, { headers: signed, proxy: false })).data;
}

const signed = { Authorization: `Bearer ${KEY}` };
