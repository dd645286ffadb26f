import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { WorkflowFile } from '../../../dev/n8n/examples';
import type { ManagedProcess } from '../../../dev/n8n/ManagedProcess';
import { freePorts } from '../../../dev/n8n/ports';
import { startServers, type Servers } from '../../../dev/n8n/queue/startServers';
import { startWorker } from '../../../dev/n8n/queue/startWorker';
import { startTestEnvironment, type TestEnvironment } from '../../e2e/support/startTestEnvironment';

// Shorter than n8n's defaults of 60, 10 and 30 s, so that a lost worker is detected sooner.
const QUICK_DETECTION = {
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** n8n in queue mode: a main process, workers, Redis and PostgreSQL, all on this machine. */
export interface Cluster extends TestEnvironment {
	startWorker(name: string): Promise<ManagedProcess>;
	restartRedis(): Promise<void>;
}

/** Starts n8n in queue mode, without workers; each worker will run `concurrency` executions. */
export async function startCluster(
	workflows: WorkflowFile[],
	{ concurrency }: { concurrency: number },
): Promise<Cluster> {
	const folder = mkdtempSync(path.join(process.env.E2E_WORK_FOLDER ?? '', 'queue-'));
	// Not below the work folder: as root, PostgreSQL runs as another user, who may not read that.
	const databaseFolder = mkdtempSync(path.join(tmpdir(), 'browser-agent-postgres-'));
	const [redisPort = 0, postgresPort = 0] = await freePorts(2);
	const workers: ManagedProcess[] = [];
	let environment: TestEnvironment | undefined;
	let servers: Servers | undefined;

	const stop = async () => {
		await Promise.all(workers.map(async (worker) => await worker.stop()));
		await environment?.stop();
		await servers?.stop();
		for (const used of [folder, databaseFolder]) rmSync(used, { recursive: true, force: true });
	};
	try {
		servers = await startServers({
			redisFolder: folder,
			databaseFolder,
			ports: [redisPort, postgresPort],
		});
		environment = await startTestEnvironment({
			workflows: () => workflows,
			publish: workflows.map(({ id }) => id),
			sandbox: { limits: 'off' },
			env: { ...servers.env, ...QUICK_DETECTION },
		});
	} catch (error) {
		await stop();
		throw error;
	}

	const { n8n } = environment;
	const { restartRedis } = servers;
	return {
		...environment,
		stop,
		restartRedis,
		async startWorker(name) {
			const [healthPort = 0, brokerPort = 0] = await freePorts(2);
			const worker = await startWorker(n8n, {
				name,
				userFolder: mkdtempSync(path.join(folder, 'worker-')),
				archive: process.env.E2E_ARCHIVE ?? '',
				ports: [healthPort, brokerPort],
				concurrency,
			});
			workers.push(worker);
			return worker;
		},
	};
}
