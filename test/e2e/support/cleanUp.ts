import { rmSync } from 'node:fs';

/** After all tests. Every n8n has been stopped by the test that started it. */
export default function cleanUp(): void {
	const folder = process.env.E2E_WORK_FOLDER;
	if (folder) rmSync(folder, { recursive: true, force: true });
}
