import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { LOOPBACK } from '../../../dev/n8n/ports';
import { ManagedProcess } from '../../../dev/n8n/ManagedProcess';
import { runCommand } from '../../../dev/n8n/runCommand';
import { findProgram } from './findProgram';

export const USER = 'n8n';

const READY_WITHIN_MS = 60_000;

/** Starts PostgreSQL on this port with an empty database. */
export async function startPostgres(folder: string, port: number): Promise<ManagedProcess> {
	const data = path.join(folder, 'postgres');
	const owner = await ordinaryUser();
	mkdirSync(data);
	if (owner) {
		chmodSync(folder, 0o755);
		chownSync(data, owner.uid, owner.gid);
	}

	const initdb = await ManagedProcess.start(
		findProgram('initdb'),
		['-D', data, '-U', USER, '-A', 'trust', '--no-sync', '-E', 'UTF8'],
		{ name: 'initdb', cwd: '/', ...owner },
	);
	await initdb.ended;
	if (initdb.end?.code !== 0) throw new Error(`initdb did not work:\n${initdb.output}`);

	const settings = [
		`listen_addresses=${LOOPBACK}`,
		'unix_socket_directories=',
		'fsync=off',
		'max_connections=100',
	];
	const postgres = await ManagedProcess.start(
		findProgram('postgres'),
		['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
		{ name: 'PostgreSQL', cwd: '/', ...owner },
	);
	const createdb = ['-h', LOOPBACK, '-p', String(port), '-U', USER, USER];
	await postgres.waitUntilReady(async () => {
		await runCommand(findProgram('createdb'), createdb, { purpose: 'Creating the database' });
		return true;
	}, READY_WITHIN_MS);
	return postgres;
}

/** PostgreSQL does not run as root; Debian's package brings a user for it. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const id = async (option: string) =>
		Number(await runCommand('id', [option, 'postgres'], { purpose: 'Looking for a user' }));
	return { uid: await id('-u'), gid: await id('-g') };
}
