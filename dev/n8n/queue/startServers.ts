import type { ManagedProcess } from '../ManagedProcess';
import { LOOPBACK } from '../ports';
import { hasDatabase, postgresEnvironment, startPostgres } from './postgres';
import { startRedis } from './redis';

interface ServersOptions {
	/** Redis keeps its data here. */
	redisFolder: string;
	/**
	 * PostgreSQL keeps its data here. If this process runs as root, the user 'postgres' must be able
	 * to enter the folders above.
	 */
	databaseFolder: string;
	/** The ports of Redis and of PostgreSQL. */
	ports: [number, number];
}

/** The servers that n8n needs in queue mode. */
export interface Servers {
	/** The environment in which n8n's main process and its workers find them. */
	env: NodeJS.ProcessEnv;
	/** Whether the database has just been created. */
	isNew: boolean;
	restartRedis(): Promise<void>;
	stop(): Promise<void>;
}

/**
 * Starts Redis and PostgreSQL on loopback. Rejects, with nothing left running, if one can't be
 * started.
 */
export async function startServers(options: ServersOptions): Promise<Servers> {
	const { redisFolder, databaseFolder } = options;
	const [redisPort, postgresPort] = options.ports;
	const isNew = !hasDatabase(databaseFolder);
	const postgres = await startPostgres(databaseFolder, postgresPort);
	let redis: ManagedProcess;
	try {
		redis = await startRedis(redisFolder, redisPort);
	} catch (error) {
		await postgres.stop();
		throw error;
	}

	return {
		env: { ...queueEnvironment(redisPort), ...postgresEnvironment(postgresPort) },
		isNew,
		async restartRedis() {
			await redis.stop();
			redis = await startRedis(redisFolder, redisPort);
		},
		async stop() {
			await postgres.stop();
			await redis.stop();
		},
	};
}

function queueEnvironment(redisPort: number): NodeJS.ProcessEnv {
	return {
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: LOOPBACK,
		QUEUE_BULL_REDIS_PORT: String(redisPort),
	};
}
