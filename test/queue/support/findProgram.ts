import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** The full path of a program of Redis or PostgreSQL. Throws with what to install. */
export function findProgram(name: string): string {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	// Debian keeps the servers' programs out of the path; the newest is preferred.
	const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).map(Number) : [];
	const debian = versions
		.sort((a, b) => b - a)
		.map((version) => path.join(DEBIAN_POSTGRES, String(version), 'bin'));

	const found = [...debian, ...folders]
		.map((folder) => path.join(folder, name))
		.find((program) => existsSync(program));
	if (found === undefined) {
		throw new Error(
			`There is no ${name}. The tests of queue mode need the servers of Redis and PostgreSQL. On Debian: apt-get install redis-server postgresql`,
		);
	}
	return found;
}
