import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

import {
	sandboxCredential,
	type CredentialFile,
	type WorkflowFile,
} from '../../../dev/n8n/contents';
import { installN8n } from '../../../dev/n8n/installN8n';
import { N8nApi } from '../../../dev/n8n/N8nApi';
import { N8nHost } from '../../../dev/n8n/N8nHost';
import { freePorts } from '../../../dev/n8n/ports';
import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { SandboxOptions } from '../../../dev/sandbox/types';

/** What is known of a environment before its n8n starts. */
export interface Place {
	n8nUrl: string;
	sandboxUrl: string;
	/** The only folder outside its own data that n8n may write files to. */
	filesFolder: string;
}

export interface TestEnvironmentOptions {
	workflows: (place: Place) => WorkflowFile[] | Promise<WorkflowFile[]>;
	/** IDs of those to publish before n8n starts. */
	publish?: string[];
	/** Beside the one for the sandbox. */
	credentials?: CredentialFile[];
	sandbox?: SandboxOptions;
	env?: NodeJS.ProcessEnv;
}

/** A real n8n with the packed package in it, and a sandbox that its credential points to. */
export interface TestEnvironment {
	sandbox: Sandbox;
	host: N8nHost;
	api: N8nApi;
	filesFolder: string;
	stop(): Promise<void>;
}

export async function startTestEnvironment(
	options: TestEnvironmentOptions,
): Promise<TestEnvironment> {
	const workFolder = process.env.E2E_WORK_FOLDER ?? '';
	const archive = process.env.E2E_ARCHIVE ?? '';
	const userFolder = mkdtempSync(path.join(workFolder, 'user-'));
	const filesFolder = path.join(userFolder, 'files');
	mkdirSync(filesFolder);
	const n8n = await installN8n(() => {});
	const [port = 0, broker = 0, servicePort = 0, filesPort = 0] = await freePorts(4);
	const sandbox = await startSandbox({ port: servicePort, filesPort, ...options.sandbox });

	const host = new N8nHost({
		n8n,
		userFolder,
		ports: [port, broker],
		env: { N8N_RESTRICT_FILE_ACCESS_TO: filesFolder, ...options.env },
	});
	const stop = async () => {
		await host.stop();
		await sandbox.close();
		rmSync(userFolder, { recursive: true, force: true });
	};
	try {
		await host.addPackage(archive);
		const place = { n8nUrl: host.url, sandboxUrl: sandbox.url, filesFolder };
		await host.importAll(
			[sandboxCredential(sandbox.url), ...(options.credentials ?? [])],
			await options.workflows(place),
		);
		for (const id of options.publish ?? []) await host.publish(id);
		await host.start();
		const api = new N8nApi(host.url, n8n);
		await api.signIn();
		return { sandbox, host, api, filesFolder, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
