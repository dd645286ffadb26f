import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// n8n-core reads these when it is loaded, so this module comes before it. Without them it writes
// into the home folder.
process.env.N8N_USER_FOLDER ??= temporaryFolder();
process.env.N8N_ENCRYPTION_KEY ??= 'for development only';

function temporaryFolder(): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'browser-agent-'));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	return folder;
}
