import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Settings } from '../settings';

/** The service empties it when it starts: then nothing uses what is in it. */
const HOMES = 'tmp';

/** Makes a folder for one browser: what it needs while it runs, and nothing that lasts. */
export async function createHome({ dataFolder }: Pick<Settings, 'dataFolder'>): Promise<string> {
	const homes = path.join(dataFolder, HOMES);
	await mkdir(homes, { recursive: true, mode: 0o700 });
	return await mkdtemp(path.join(homes, 'browser-'));
}

/** Removes a browser's folder. Chromium's last processes may still write. Never rejects. */
export async function removeHome(home: string): Promise<void> {
	await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => {});
}
