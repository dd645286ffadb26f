import axios, { type AxiosInstance, type AxiosResponse } from 'axios';

import type { Sandbox } from '../../../dev/sandbox/startSandbox';
import type { JobScript } from '../../../dev/sandbox/types';

export const PRO = 'sandbox-pro-key';
export const FREE = 'sandbox-free-key';
export const ENTERPRISE = 'sandbox-enterprise-key';
export const FORBIDDEN = 'sandbox-forbidden-key';

/** An independent client of the service. It returns every answer, whatever its status. */
export class Client {
	readonly http: AxiosInstance;

	constructor(sandbox: Sandbox, key?: string) {
		this.http = axios.create({
			baseURL: sandbox.url,
			headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
			proxy: false,
			maxRedirects: 0,
			validateStatus: () => true,
		});
	}

	async start(body: unknown = { directive: 'Look around' }): Promise<AxiosResponse> {
		const headers = { 'Content-Type': 'application/json' };
		return await this.http.post('/v1/run_browser_agent', body, { headers });
	}

	async status(jobId: string): Promise<AxiosResponse> {
		return await this.http.get(`/v1/get_job_status/${jobId}`);
	}

	async pause(jobId: string): Promise<AxiosResponse> {
		return await this.http.post(`/v1/pause_job/${jobId}`);
	}

	async resume(jobId: string): Promise<AxiosResponse> {
		return await this.http.post(`/v1/resume_job/${jobId}`);
	}

	async files(jobId: string): Promise<AxiosResponse> {
		return await this.http.get(`/v1/get_job_files/${jobId}`);
	}

	async runWorkflow(workflowId: string, body: unknown = {}): Promise<AxiosResponse> {
		return await this.http.post(`/workflows/run-with-payload/${workflowId}`, body);
	}

	async balance(): Promise<AxiosResponse> {
		return await this.http.get('/v1/get_credit_balance');
	}

	async health(): Promise<AxiosResponse> {
		return await this.http.get('/v1/health');
	}
}

/** Starts a job that goes by this script, and returns its ID. */
export async function startJob(
	sandbox: Sandbox,
	client: Client,
	script: JobScript | string[] = {},
	request: object = {},
): Promise<string> {
	await sandbox.admin.nextJob(script);
	const { data } = await client.start({ directive: 'Look around', ...request });
	return data.job_id as string;
}
