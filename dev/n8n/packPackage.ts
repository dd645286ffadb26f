import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { runCommand } from './runCommand';

const ROOT = path.join(__dirname, '../..');

/**
 * Bundles and packs the package as for publishing, without checking its types; returns the path of
 * the archive in this folder.
 */
export async function packPackage(folder: string): Promise<string> {
	await runCommand('npm', ['run', 'bundle', '--silent'], {
		cwd: ROOT,
		purpose: 'Bundling the package',
	});
	const report = await runCommand('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: ROOT,
		purpose: 'Packing the package',
	});
	const [packed] = Object.values(JSON.parse(report) as Record<string, { filename: string }>);
	if (packed === undefined) throw new Error('npm packed nothing');
	return path.join(folder, path.basename(packed.filename));
}

/**
 * Unpacks the archive to where n8n expects the community packages of this user folder; returns the
 * path. Other packages in that folder stay, and npm, when it adds one there, keeps this one.
 */
export async function unpackPackage(userFolder: string, archive: string): Promise<string> {
	const { name, version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
	};
	const nodesFolder = path.join(userFolder, '.n8n/nodes');
	const target = path.join(nodesFolder, 'node_modules', name);
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true, mode: 0o700 });
	await runCommand('tar', ['-xzf', archive, '-C', target, '--strip-components=1'], {
		purpose: 'Unpacking the package',
	});
	recordPackage(path.join(nodesFolder, 'package.json'), name, version);
	return target;
}

/** Adds a package to the list that n8n keeps. npm removes packages that are not in it. */
export function recordPackage(file: string, name: string, version: string): void {
	const list: { dependencies?: Record<string, string> } = existsSync(file)
		? (JSON.parse(readFileSync(file, 'utf8')) as object)
		: { name: 'installed-nodes', private: true };
	const dependencies = { ...list.dependencies, [name]: version };
	writeFileSync(file, JSON.stringify({ ...list, dependencies }, undefined, 2));
}

/** A new temporary folder, with access for its owner only. */
export function createWorkFolder(): string {
	return mkdtempSync(path.join(tmpdir(), 'browser-agent-'));
}
