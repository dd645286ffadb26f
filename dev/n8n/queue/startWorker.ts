import type { ManagedProcess } from '../ManagedProcess';
import type { N8nInstance } from '../N8nInstance';
import { unpackPackage } from '../packPackage';
import { LOOPBACK } from '../ports';

interface WorkerOptions {
	/** For messages. */
	name: string;
	/**
	 * The worker's own and new at each start, as in a container. A worker that finds an event log of
	 * an earlier one marks executions that it names as crashed, also those that are waiting or that
	 * another worker is running.
	 */
	userFolder: string;
	/** The packed package. */
	archive: string;
	/** The ports of the health check and of the task broker. */
	ports: [number, number];
	/** How many executions it runs at a time. */
	concurrency: number;
	/** Added to the environment of the main process. */
	env?: NodeJS.ProcessEnv;
}

const READY_TIMEOUT_MS = 120_000;

/**
 * Starts a worker of this n8n, with the package. Resolves when it is ready; it is stopped
 * otherwise.
 */
export async function startWorker(
	n8n: N8nInstance,
	{ name, userFolder, archive, ports, concurrency, env }: WorkerOptions,
): Promise<ManagedProcess> {
	const [healthPort, brokerPort] = ports;
	await unpackPackage(userFolder, archive);
	const worker = await n8n.startProcess(name, ['worker', `--concurrency=${concurrency}`], {
		N8N_USER_FOLDER: userFolder,
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(healthPort),
		N8N_WORKER_SERVER_ADDRESS: LOOPBACK,
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		...env,
	});
	try {
		await worker.waitUntilReady(async () => {
			const { ok } = await fetch(`http://${LOOPBACK}:${healthPort}/healthz/readiness`);
			return ok;
		}, READY_TIMEOUT_MS);
	} catch (error) {
		await worker.stop();
		throw error;
	}
	return worker;
}
