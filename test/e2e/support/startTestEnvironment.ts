import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

import {
	exampleCredential,
	type CredentialFile,
	type WorkflowFile,
} from '../../../dev/n8n/examples';
import { installN8n } from '../../../dev/n8n/installN8n';
import { N8nApi } from '../../../dev/n8n/N8nApi';
import { N8nInstance } from '../../../dev/n8n/N8nInstance';
import { freePorts } from '../../../dev/n8n/ports';
import { type Sandbox, startSandbox } from '../../../dev/sandbox/startSandbox';
import type { SandboxOptions } from '../../../dev/sandbox/types';

/** The addresses of an environment, known before its n8n starts. */
interface Addresses {
	n8nUrl: string;
	sandboxUrl: string;
}

interface TestEnvironmentOptions {
	workflows: (addresses: Addresses) => WorkflowFile[] | Promise<WorkflowFile[]>;
	/** IDs of the workflows to publish, in this order. */
	publish?: string[];
	/** In addition to the one for the sandbox. */
	credentials?: (addresses: Addresses) => CredentialFile[];
	sandbox?: SandboxOptions;
	env?: NodeJS.ProcessEnv;
}

/** A whole n8n with the packed package, and a sandbox that its credential points to. */
export interface TestEnvironment {
	sandbox: Sandbox;
	n8n: N8nInstance;
	api: N8nApi;
	stop(): Promise<void>;
}

/** Starts n8n and the sandbox, and publishes the workflows. Rejects with nothing left running. */
export async function startTestEnvironment(
	options: TestEnvironmentOptions,
): Promise<TestEnvironment> {
	const workFolder = process.env.E2E_WORK_FOLDER ?? '';
	const archive = process.env.E2E_ARCHIVE ?? '';
	const userFolder = mkdtempSync(path.join(workFolder, 'user-'));
	const installed = await installN8n(() => {});
	const [port = 0, broker = 0, servicePort = 0, filesPort = 0] = await freePorts(4);
	const sandbox = await startSandbox({ port: servicePort, filesPort, ...options.sandbox });

	const n8n = new N8nInstance({
		installed,
		userFolder,
		ports: [port, broker],
		env: options.env,
	});
	const stop = async () => {
		await n8n.stop();
		await sandbox.close();
		rmSync(userFolder, { recursive: true, force: true });
	};
	try {
		await n8n.addPackage(archive);
		const addresses: Addresses = { n8nUrl: n8n.url, sandboxUrl: sandbox.url };
		await n8n.importMissing(
			[exampleCredential(sandbox.url), ...(options.credentials?.(addresses) ?? [])],
			await options.workflows(addresses),
		);
		await n8n.start();
		const api = new N8nApi(n8n);
		await api.signIn();
		for (const id of options.publish ?? []) await api.publish(id);
		return { sandbox, n8n, api, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
