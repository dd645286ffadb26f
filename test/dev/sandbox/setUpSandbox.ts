import axios, { type AxiosResponse } from 'axios';

import type { SandboxAdmin } from '../../../dev/sandbox/SandboxAdmin';
import type { JobScript, SandboxOptions } from '../../../dev/sandbox/types';
import { useSandbox } from '../../support/useSandbox';

export const PRO = 'sandbox-pro-key';
export const FREE = 'sandbox-free-key';
export const ENTERPRISE = 'sandbox-enterprise-key';
export const FORBIDDEN = 'sandbox-forbidden-key';

const STANDING_CLOCK = { now: () => 60_000 * 28_000_000, sleep: async () => {} };

export const http = axios.create({ proxy: false, maxRedirects: 0, validateStatus: () => true });

export type Client = ReturnType<typeof createClient>;

/** Creates a client that shares no code with the nodes. It returns responses of any status. */
export function createClient(url: string, key?: string) {
	const headers = {
		'Content-Type': 'application/json',
		...(key !== undefined && { Authorization: `Bearer ${key}` }),
	};
	const get = async (path: string) => await http.get(url + path, { headers });
	const post = async (path: string, body?: unknown) =>
		await http.post(url + path, body, { headers });
	return {
		start: (body: unknown = { directive: 'Look around' }) => post('/v1/run_browser_agent', body),
		status: (jobId: string) => get(`/v1/get_job_status/${jobId}`),
		pause: (jobId: string) => post(`/v1/pause_job/${jobId}`),
		resume: (jobId: string) => post(`/v1/resume_job/${jobId}`),
		files: (jobId: string) => get(`/v1/get_job_files/${jobId}`),
		runWorkflow: (id: string, body: unknown = {}) =>
			post(`/workflows/run-with-payload/${id}`, body),
		balance: () => get('/v1/get_credit_balance'),
		health: () => get('/v1/health'),
	};
}

interface TestSandbox {
	readonly url: string;
	readonly filesUrl: string;
	readonly admin: SandboxAdmin;
	/** Uses the key of the pro account. */
	readonly client: Client;
	clientWith(key?: string): Client;
	/** Starts a job with this script, and more fields in the request, and returns its ID. */
	startJob(script?: JobScript | string[], request?: object): Promise<string>;
	/** Polls the job and returns the body of the response. */
	poll(jobId: string): Promise<AxiosResponse['data']>;
}

/**
 * `useSandbox` with a client that shares no code with the nodes. Unless the options say otherwise,
 * the sandbox has no rate limits, and its time moves only with `advance()`.
 */
export function setUpSandbox(options: SandboxOptions = {}): TestSandbox {
	const service = useSandbox({ limits: 'off', clock: STANDING_CLOCK, ...options });
	const sandbox: TestSandbox = {
		get url() {
			return service.url;
		},
		get filesUrl() {
			return service.sandbox.filesUrl;
		},
		get admin() {
			return service.admin;
		},
		get client() {
			return createClient(service.url, PRO);
		},
		clientWith: (key) => createClient(service.url, key),
		async startJob(script = {}, request = {}) {
			await service.admin.nextJob(script);
			const { data } = await sandbox.client.start({ directive: 'Look around', ...request });
			return data.job_id as string;
		},
		poll: async (jobId) => (await sandbox.client.status(jobId)).data,
	};
	return sandbox;
}
