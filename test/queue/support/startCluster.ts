import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { WorkflowFile } from '../../../dev/n8n/examples';
import type { ManagedProcess } from '../../../dev/n8n/ManagedProcess';
import { unpackPackage } from '../../../dev/n8n/packPackage';
import { freePorts, LOOPBACK } from '../../../dev/n8n/ports';
import { startTestEnvironment, type TestEnvironment } from '../../e2e/support/startTestEnvironment';
import { startPostgres, USER } from './postgres';
import { startRedis } from './redis';

const READY_TIMEOUT_MS = 120_000;

/** n8n in queue mode: a main process, workers, Redis and PostgreSQL, all on this machine. */
export interface Cluster extends TestEnvironment {
	startWorker(name: string): Promise<ManagedProcess>;
	restartRedis(): Promise<void>;
}

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
	let redis: ManagedProcess | undefined;
	let postgres: ManagedProcess | undefined;

	const stop = async () => {
		await Promise.all(workers.map(async (worker) => await worker.stop()));
		await environment?.stop();
		// With SIGINT PostgreSQL ends without waiting for its clients.
		await postgres?.stop('SIGINT');
		await redis?.stop();
		for (const used of [folder, databaseFolder]) rmSync(used, { recursive: true, force: true });
	};
	try {
		postgres = await startPostgres(databaseFolder, postgresPort);
		redis = await startRedis(folder, redisPort);
		environment = await startTestEnvironment({
			workflows: () => workflows,
			publish: workflows.map(({ id }) => id),
			sandbox: { limits: 'off' },
			env: queueEnvironment(redisPort, postgresPort),
		});
	} catch (error) {
		await stop();
		throw error;
	}

	const { n8n } = environment;
	return {
		...environment,
		stop,
		async startWorker(name) {
			const [healthPort = 0, brokerPort = 0] = await freePorts(2);
			// As in separate containers. With one folder for all, a worker that starts after another's crash
			// finds unfinished executions in the shared event log and marks them as crashed, also those
			// that a third worker is running.
			const userFolder = mkdtempSync(path.join(folder, 'worker-'));
			await unpackPackage(userFolder, process.env.E2E_ARCHIVE ?? '');
			const worker = await n8n.startProcess(name, ['worker', `--concurrency=${concurrency}`], {
				N8N_USER_FOLDER: userFolder,
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(healthPort),
				N8N_WORKER_SERVER_ADDRESS: LOOPBACK,
				N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			});
			workers.push(worker);
			await worker.waitUntilReady(async () => {
				const { ok } = await fetch(`http://${LOOPBACK}:${healthPort}/healthz/readiness`);
				return ok;
			}, READY_TIMEOUT_MS);
			return worker;
		},
		async restartRedis() {
			await redis?.stop();
			redis = await startRedis(folder, redisPort);
		},
	};
}

function queueEnvironment(redisPort: number, postgresPort: number): NodeJS.ProcessEnv {
	return {
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: LOOPBACK,
		QUEUE_BULL_REDIS_PORT: String(redisPort),
		// Shorter than n8n's defaults of 60, 10 and 30 s, so that a lost worker is detected sooner.
		QUEUE_WORKER_LOCK_DURATION: '30000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
		QUEUE_WORKER_STALLED_INTERVAL: '5000',
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: LOOPBACK,
		DB_POSTGRESDB_PORT: String(postgresPort),
		DB_POSTGRESDB_DATABASE: USER,
		DB_POSTGRESDB_USER: USER,
		DB_POSTGRESDB_PASSWORD: USER,
	};
}
