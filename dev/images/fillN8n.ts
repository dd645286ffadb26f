import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

import { exampleCredential } from '../n8n/examples';
import { recordPackage } from '../n8n/packPackage';

/** The service's name in compose.yaml. */
const SERVICE_URL = 'http://service:3500';
const NODES_FOLDER = path.join(homedir(), '.n8n/nodes');
const FILLED = path.join(homedir(), '.n8n/browser-agent-examples');

/**
 * Fills n8n before it starts in its container. Each time it gets the nodes, where it keeps
 * community nodes itself; at a volume's first start, also the credential and the examples, which
 * may be edited from then on.
 */
function fillN8n(): void {
	const source = path.join(__dirname, 'package');
	const { name, version } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
	};
	const target = path.join(NODES_FOLDER, 'node_modules', name);
	rmSync(target, { recursive: true, force: true });
	cpSync(source, target, { recursive: true });
	recordPackage(path.join(NODES_FOLDER, 'package.json'), name, version);

	if (existsSync(FILLED)) return;
	importCredential(process.env.SERVICE_API_KEY ?? '');
	runN8n('import:workflow', path.join(__dirname, 'workflows.json'));
	writeFileSync(FILLED, '');
}

function importCredential(apiKey: string): void {
	const folder = mkdtempSync(path.join(tmpdir(), 'credential-'));
	const file = path.join(folder, 'credential.json');
	try {
		writeFileSync(file, JSON.stringify([exampleCredential(SERVICE_URL, apiKey)]), { mode: 0o600 });
		runN8n('import:credentials', file);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function runN8n(command: string, file: string): void {
	execFileSync('n8n', [command, `--input=${file}`], { stdio: 'inherit' });
}

fillN8n();
