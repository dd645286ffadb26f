import { rmSync } from 'node:fs';

/** After all tests: what they have written goes. */
export default function removeTemporaryFolder(): void {
	const folder = process.env.TMPDIR;
	if (folder?.includes('browser-agent-tests-')) rmSync(folder, { recursive: true, force: true });
}
