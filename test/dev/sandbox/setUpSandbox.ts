import axios, { type AxiosResponse } from 'axios';

import type { AdminClient } from '../../../dev/sandbox/AdminClient';
import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { JobScript, SandboxOptions } from '../../../dev/sandbox/types';

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
	readonly admin: AdminClient;
	/** Uses the key of the pro account. */
	readonly client: Client;
	clientWith(key?: string): Client;
	/** Starts a job with this script, and more fields in the request, and returns its ID. */
	startJob(script?: JobScript | string[], request?: object): Promise<string>;
	/** Polls the job and returns the body of the response. */
	poll(jobId: string): Promise<AxiosResponse['data']>;
}

/**
 * Starts a sandbox for the tests of a file or block and resets it before each. Unless the options
 * say otherwise, it has no rate limits, and its time moves only with
 * `advance()`.
 */
export function setUpSandbox(options: SandboxOptions = {}): TestSandbox {
	let started: Sandbox;
	beforeAll(async () => {
		const defaults = { limits: 'off' as const, clock: STANDING_CLOCK };
		started = await startSandbox({ ...defaults, ...options });
	});
	beforeEach(async () => await started.admin.reset());
	afterAll(async () => await started.close());

	const sandbox: TestSandbox = {
		get url() {
			return started.url;
		},
		get filesUrl() {
			return started.filesUrl;
		},
		get admin() {
			return started.admin;
		},
		get client() {
			return createClient(started.url, PRO);
		},
		clientWith: (key) => createClient(started.url, key),
		async startJob(script = {}, request = {}) {
			await started.admin.nextJob(script);
			const { data } = await sandbox.client.start({ directive: 'Look around', ...request });
			return data.job_id as string;
		},
		poll: async (jobId) => (await sandbox.client.status(jobId)).data,
	};
	return sandbox;
}
