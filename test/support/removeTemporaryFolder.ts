import { rmSync } from 'node:fs';

/** Removes what the tests have written, after all of them. */
export default function removeTemporaryFolder(): void {
	const folder = process.env.TMPDIR;
	if (folder?.includes('browser-agent-tests-')) rmSync(folder, { recursive: true, force: true });
}
