import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Before all tests: all that they and n8n-core write goes into one folder, removed at the end. */
export default function useTemporaryFolder(): void {
	process.env.TMPDIR = mkdtempSync(path.join(tmpdir(), 'browser-agent-tests-'));
}
