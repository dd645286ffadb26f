import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Beside what was installed: the sign that all of it is there. */
const MARKER = 'finished.json';
const PARTIAL = /\.partial-(\d+)$/;

/** Where things that take long to install are kept between runs. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
	if (env.BROWSER_AGENT_CACHE) return path.resolve(env.BROWSER_AGENT_CACHE);
	const caches = env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
	return path.join(caches, 'n8n-nodes-browser-agent');
}

/**
 * Returns the folder of this name in the cache; if it is not there yet, `install` fills it first.
 * It is filled under another name and renamed at the end, so that an install that was broken off is
 * never taken for a whole one, and two at once don't mix.
 */
export async function cached(
	name: string,
	install: (folder: string) => Promise<void>,
	cache = cacheFolder(),
): Promise<string> {
	const folder = path.join(cache, name);
	if (existsSync(path.join(folder, MARKER))) return folder;

	mkdirSync(cache, { recursive: true });
	removeLeftovers(cache, name);
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

/** Whether the folder of this name is there, and whole. */
export function isCached(name: string, cache = cacheFolder()): boolean {
	return existsSync(path.join(cache, name, MARKER));
}

/** What an install left behind whose process is gone. */
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
