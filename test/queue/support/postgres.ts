import { chownSync } from 'node:fs';

import { ManagedProcess } from '../../../dev/n8n/ManagedProcess';
import { LOOPBACK } from '../../../dev/n8n/ports';
import { runCommand } from '../../../dev/n8n/runCommand';
import { findExecutable } from './findExecutable';

export const USER = 'n8n';

const READY_TIMEOUT_MS = 60_000;

/** Starts PostgreSQL on this port with an empty database, in an empty folder that only its user can read. */
export async function startPostgres(data: string, port: number): Promise<ManagedProcess> {
	const owner = await ordinaryUser();
	if (owner) chownSync(data, owner.uid, owner.gid);

	const initdb = await ManagedProcess.start(
		findExecutable('initdb'),
		['-D', data, '-U', USER, '-A', 'trust', '--no-sync', '-E', 'UTF8'],
		{ name: 'initdb', cwd: '/', ...owner },
	);
	await initdb.ended;
	if (initdb.end?.code !== 0) throw new Error(`initdb failed:\n${initdb.output}`);

	const settings = [
		`listen_addresses=${LOOPBACK}`,
		'unix_socket_directories=',
		'fsync=off',
		'max_connections=100',
	];
	const postgres = await ManagedProcess.start(
		findExecutable('postgres'),
		['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
		{ name: 'PostgreSQL', cwd: '/', ...owner },
	);
	const createdb = ['-h', LOOPBACK, '-p', String(port), '-U', USER, USER];
	await postgres.waitUntilReady(async () => {
		await runCommand(findExecutable('createdb'), createdb, { purpose: 'Creating the database' });
		return true;
	}, READY_TIMEOUT_MS);
	return postgres;
}

/** PostgreSQL refuses to run as root; Debian's package creates a user for it. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const id = async (option: string) =>
		Number(await runCommand('id', [option, 'postgres'], { purpose: 'Looking for a user' }));
	return { uid: await id('-u'), gid: await id('-g') };
}
