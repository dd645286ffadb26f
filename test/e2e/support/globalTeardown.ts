import { rmSync } from 'node:fs';

/** Removes the work folder. Each test file has stopped its own n8n. */
export default function globalTeardown(): void {
	const folder = process.env.E2E_WORK_FOLDER;
	if (folder) rmSync(folder, { recursive: true, force: true });
}
