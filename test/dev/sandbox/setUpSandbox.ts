import type { AxiosResponse } from 'axios';

import type { SandboxAdmin } from '../../../dev/sandbox/SandboxAdmin';
import type { JobScript, SandboxOptions } from '../../../dev/sandbox/types';
import { useSandbox } from '../../support/useSandbox';
import { type Client, createClient } from '../../api/client';

export { http } from '../../api/client';

export const PRO = 'sandbox-pro-key';
export const FREE = 'sandbox-free-key';
export const ENTERPRISE = 'sandbox-enterprise-key';
export const FORBIDDEN = 'sandbox-forbidden-key';

const STANDING_CLOCK = { now: () => 60_000 * 28_000_000, sleep: async () => {} };

interface TestSandbox {
	readonly url: string;
	readonly filesUrl: string;
	readonly admin: SandboxAdmin;
	/** Uses the key of the pro account. */
	readonly client: Client;
	clientWith(key?: string): Client;
	/** Sandbox time in ms since 1970. */
	now(): number;
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
		now: () => service.sandbox.state.runDueEvents(),
		async startJob(script = {}, request = {}) {
			await service.admin.nextJob(script);
			const { data } = await sandbox.client.start({ directive: 'Look around', ...request });
			return data.job_id as string;
		},
		poll: async (jobId) => (await sandbox.client.status(jobId)).data,
	};
	return sandbox;
}
