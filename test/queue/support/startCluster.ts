import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

import type { WorkflowFile } from '../../../dev/n8n/examples';
import { unpackPackage } from '../../../dev/n8n/packPackage';
import { freePorts, LOOPBACK } from '../../../dev/n8n/ports';
import type { ManagedProcess } from '../../../dev/n8n/ManagedProcess';
import { startTestEnvironment, type TestEnvironment } from '../../e2e/support/startTestEnvironment';
import { startPostgres, USER } from './postgres';
import { startRedis } from './redis';

const READY_WITHIN_MS = 120_000;

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
	const [redisPort = 0, postgresPort = 0] = await freePorts(2);
	const workers: ManagedProcess[] = [];
	let environment: TestEnvironment | undefined;
	let redis: ManagedProcess | undefined;
	let postgres: ManagedProcess | undefined;

	const stop = async () => {
		await Promise.all(workers.map(async (worker) => await worker.stop()));
		await environment?.stop();
		// This is PostgreSQL's word for ending without waiting for its clients.
		await postgres?.stop('SIGINT');
		await redis?.stop();
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		postgres = await startPostgres(folder, postgresPort);
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
			// As in a container of its own. With one for all, a worker that starts after another's crash
			// reads in the common event log that executions are unfinished, and calls them crashed, also
			// those that a third worker is busy with.
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
			}, READY_WITHIN_MS);
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
		// Shorter than n8n's own 60, 10 and 30 s, so that a lost worker is noticed sooner.
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
