import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { unpackPackage } from '../../../dev/n8n/packPackage';
import { name, version } from '../../../package.json';

/** An archive as `npm pack` makes it, with a single file. */
function createArchive(folder: string): string {
	mkdirSync(path.join(folder, 'package'));
	writeFileSync(path.join(folder, 'package/index.js'), '');
	const archive = path.join(folder, 'package.tgz');
	execFileSync('tar', ['-czf', archive, '-C', folder, 'package']);
	return archive;
}

it('A package that a user has added to the folder of n8n survives the next start, and so does ours', async () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'unpack-'));
	const archive = createArchive(folder);
	const nodes = path.join(folder, 'user/.n8n/nodes');
	const list = path.join(nodes, 'package.json');
	const dependenciesOf = (file: string) =>
		(JSON.parse(readFileSync(file, 'utf8')) as { dependencies: object }).dependencies;
	const own = await unpackPackage(path.join(folder, 'user'), archive);
	expect(dependenciesOf(list)).toEqual({ [name]: version });
	mkdirSync(path.join(nodes, 'node_modules/n8n-nodes-added'));
	const added = { 'n8n-nodes-added': '1.0.0' };
	writeFileSync(list, JSON.stringify({ private: true, dependencies: added }));

	await unpackPackage(path.join(folder, 'user'), archive);

	expect(existsSync(path.join(own, 'index.js'))).toBe(true);
	expect(existsSync(path.join(nodes, 'node_modules/n8n-nodes-added'))).toBe(true);
	expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual({
		private: true,
		dependencies: { ...added, [name]: version },
	});
});
