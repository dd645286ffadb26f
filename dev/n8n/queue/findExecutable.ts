import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** The servers that queue mode needs, with one executable of each. */
const SERVERS = { Redis: 'redis-server', PostgreSQL: 'postgres' };

/**
 * Throws if a server is not installed. The error names all that are missing and how to install
 * them.
 */
export function requireServers(): void {
	const missing = Object.entries(SERVERS)
		.filter(([, executable]) => findFile(executable) === undefined)
		.map(([server]) => server);
	if (missing.length > 0) throw new Error(missingMessage(missing));
}

/** The full path of an executable of Redis or PostgreSQL. The error says what to install. */
export function findExecutable(name: string): string {
	const file = findFile(name);
	if (file === undefined) throw new Error(missingMessage([name]));
	return file;
}

function findFile(name: string): string | undefined {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	return [...debianFolders(), ...folders]
		.map((folder) => path.join(folder, name))
		.find((file) => existsSync(file));
}

/** Debian does not add PostgreSQL's executables to PATH. The newest version comes first. */
function debianFolders(): string[] {
	if (!existsSync(DEBIAN_POSTGRES)) return [];
	const versions = readdirSync(DEBIAN_POSTGRES).map(Number);
	return versions
		.sort((a, b) => b - a)
		.map((version) => path.join(DEBIAN_POSTGRES, String(version), 'bin'));
}

function missingMessage(missing: string[]): string {
	return [
		`${missing.join(' and ')} not found: queue mode needs Redis and PostgreSQL.`,
		'On Debian or Ubuntu:  apt-get install redis-server postgresql',
		'On macOS:             brew install redis postgresql',
		"They don't have to be running: this command starts its own, with separate data.",
	].join('\n');
}
