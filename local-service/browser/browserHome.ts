import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Settings } from '../settings';

/** The service empties it when it starts: then nothing uses what is in it. */
const HOMES = 'tmp';
const PREFIX = 'browser-';

/** Those of browsers that have not ended. */
const inUse = new Set<string>();

/** Makes a folder for one browser: what it needs while it runs, and nothing that lasts. */
export async function createHome({ dataFolder }: Pick<Settings, 'dataFolder'>): Promise<string> {
	const homes = path.join(dataFolder, HOMES);
	const home = path.join(homes, `${PREFIX}${randomUUID().slice(0, 13)}`);
	inUse.add(home);
	await mkdir(homes, { recursive: true, mode: 0o700 });
	await mkdir(home, { mode: 0o700 });
	return home;
}

/** Removes a browser's folder. Chromium's last processes may still write. Never rejects. */
export async function removeHome(home: string): Promise<void> {
	await remove(home);
	inUse.delete(home);
}

/** Removes the folders of browsers that have ended, where that has failed. Never rejects. */
export async function removeLeftHomes(dataFolder: string): Promise<void> {
	const homes = path.join(dataFolder, HOMES);
	const names = await readdir(homes).catch(() => []);
	const left = names
		.filter((name) => name.startsWith(PREFIX))
		.map((name) => path.join(homes, name))
		.filter((home) => !inUse.has(home));
	for (const home of left) await remove(home);
}

async function remove(home: string): Promise<void> {
	await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => {});
}
