import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { PACKAGE_NAME } from '../../nodes/package';

/** Marks a folder whose installation is complete. */
const MARKER = 'finished.json';
const PARTIAL = /\.partial-(\d+)$/;

function cacheFolder(): string {
	const { env } = process;
	if (env.BROWSER_AGENT_CACHE) return path.resolve(env.BROWSER_AGENT_CACHE);
	const caches = env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
	return path.join(caches, PACKAGE_NAME);
}

/**
 * Returns the folder of this name in the cache; if it is not complete yet, `install` fills it
 * first.
 */
export async function cached(
	name: string,
	install: (folder: string) => Promise<void>,
): Promise<string> {
	const cache = cacheFolder();
	const folder = path.join(cache, name);
	if (existsSync(path.join(folder, MARKER))) return folder;

	mkdirSync(cache, { recursive: true });
	removeLeftovers(cache, name);
	// An interrupted installation is never used, and two at the same time do not mix.
	const partial = `${folder}.partial-${process.pid}`;
	mkdirSync(partial);
	try {
		await install(partial);
		writeFileSync(path.join(partial, MARKER), `${JSON.stringify({ finishedAt: new Date() })}\n`);
		if (!existsSync(path.join(folder, MARKER))) {
			rmSync(folder, { recursive: true, force: true });
			renameSync(partial, folder);
		}
	} finally {
		rmSync(partial, { recursive: true, force: true });
	}
	return folder;
}

function removeLeftovers(cache: string, name: string): void {
	for (const entry of readdirSync(cache)) {
		const pid = Number(PARTIAL.exec(entry)?.[1]);
		if (entry.startsWith(`${name}.`) && pid && !isAlive(pid)) {
			rmSync(path.join(cache, entry), { recursive: true, force: true });
		}
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
