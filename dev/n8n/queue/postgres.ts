import { chownSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { ManagedProcess } from '../ManagedProcess';
import { LOOPBACK } from '../ports';
import { runCommand } from '../runCommand';
import { findExecutable } from './findExecutable';

const USER = 'n8n';
/** The one that each new PostgreSQL has. */
const DATABASE = 'postgres';

const READY_TIMEOUT_MS = 60_000;

interface RunAs {
	uid: number;
	gid: number;
}

/** Whether this folder contains a database. */
export function hasDatabase(folder: string): boolean {
	return existsSync(path.join(folder, 'PG_VERSION'));
}

/** The environment in which n8n finds this database. */
export function postgresEnvironment(port: number): Record<string, string> {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: LOOPBACK,
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_DATABASE: DATABASE,
		DB_POSTGRESDB_USER: USER,
		DB_POSTGRESDB_PASSWORD: USER,
	};
}

/**
 * Starts PostgreSQL on this port with the database in this folder, which is created if there is
 * none.
 */
export async function startPostgres(folder: string, port: number): Promise<ManagedProcess> {
	const runAs = await ordinaryUser();
	if (!hasDatabase(folder)) await initialize(folder, runAs);

	const settings = [
		`listen_addresses=${LOOPBACK}`,
		'unix_socket_directories=',
		// Only a crash of the whole machine could lose data.
		'fsync=off',
		'max_connections=100',
	];
	const postgres = await ManagedProcess.start(
		findExecutable('postgres'),
		['-D', folder, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
		// With SIGINT it ends without waiting for its clients.
		{ name: 'PostgreSQL', cwd: '/', stopSignal: 'SIGINT', ...runAs },
	);
	const address = ['-h', LOOPBACK, '-p', String(port)];
	await postgres.waitUntilReady(async () => {
		await runCommand(findExecutable('pg_isready'), address, {
			purpose: 'Connecting to PostgreSQL',
		});
		return true;
	}, READY_TIMEOUT_MS);
	return postgres;
}

async function initialize(folder: string, runAs?: RunAs): Promise<void> {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (runAs) chownSync(folder, runAs.uid, runAs.gid);

	const options = ['-D', folder, '-U', USER, '-A', 'trust', '--no-sync', '-E', 'UTF8'];
	const initdb = await ManagedProcess.start(findExecutable('initdb'), options, {
		name: 'initdb',
		cwd: '/',
		...runAs,
	});
	await initdb.ended;
	if (initdb.end?.code === 0) return;
	const advice = runAs ? "Its user 'postgres' must be able to enter all folders above it.\n" : '';
	throw new Error(`PostgreSQL can't use ${folder}. ${advice}${initdb.output}`);
}

/** PostgreSQL refuses to run as root; Debian's package creates a user for it. */
async function ordinaryUser(): Promise<RunAs | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const id = async (option: string) =>
		Number(await runCommand('id', [option, 'postgres'], { purpose: 'Looking for a user' }));
	return { uid: await id('-u'), gid: await id('-g') };
}
