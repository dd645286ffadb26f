import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { readSettings } from '../../local-service/settings';
import { startService } from '../../local-service/startService';
import { startSandbox } from '../sandbox/startSandbox';

const DEMO_JOB_SECONDS = 5;

/** The service that the demo runs against. */
export interface DemoService {
	/** What it is, as a sentence for the user. */
	description: string;
	url: string;
	apiKey: string;
	close(): Promise<void>;
}

/**
 * Starts the local service if `MODELS` is set, on a free port and with a folder of its own, else the
 * sandbox. Never falls back from the one to the other: throws if the local service can't be started.
 */
export async function startDemoService(env: NodeJS.ProcessEnv): Promise<DemoService> {
	return env.MODELS?.trim() ? await startLocalService(env) : await startSimulation();
}

async function startLocalService(env: NodeJS.ProcessEnv): Promise<DemoService> {
	const dataFolder = mkdtempSync(path.join(tmpdir(), 'browser-agent-demo-'));
	const remove = () => rmSync(dataFolder, { recursive: true, force: true });
	try {
		const settings = { ...readSettings(env), dataFolder, port: 0 };
		const service = await startService(settings);
		const [model] = settings.models;
		return {
			description: `Started the local service: a real browser, with the model ${model?.label}`,
			url: service.url,
			apiKey: service.apiKey,
			async close() {
				await service.close();
				remove();
			},
		};
	} catch (error) {
		remove();
		throw error;
	}
}

async function startSimulation(): Promise<DemoService> {
	const sandbox = await startSandbox({ defaultJobSeconds: DEMO_JOB_SECONDS });
	return {
		description:
			'Started the sandbox, a simulated service (set MODELS for a real browser: local-service/README.md)',
		url: sandbox.url,
		apiKey: 'sandbox-pro-key',
		close: async () => await sandbox.close(),
	};
}
