import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** The full path of an executable of Redis or PostgreSQL. The error says what to install. */
export function findExecutable(name: string): string {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	// Debian does not add PostgreSQL's executables to PATH; the newest version is preferred.
	const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).map(Number) : [];
	const debian = versions
		.sort((a, b) => b - a)
		.map((version) => path.join(DEBIAN_POSTGRES, String(version), 'bin'));

	const found = [...debian, ...folders]
		.map((folder) => path.join(folder, name))
		.find((file) => existsSync(file));
	if (found === undefined) {
		throw new Error(
			`${name} was not found. The tests of queue mode need Redis and PostgreSQL. On Debian, run 'apt-get install redis-server postgresql'.`,
		);
	}
	return found;
}
