import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

import { bundleModules } from '../build/bundle';
import type * as bundledNodes from './bundledNodes';

const MODULES = path.join(__dirname, '../../node_modules');

/**
 * Both nodes and the credential, bundled: imported, *.node modules would be taken for JSON files.
 */
export async function buildNodes(): Promise<typeof bundledNodes> {
	const folder = mkdtempSync(path.join(MODULES, '.nodes-'));
	try {
		const file = path.join(folder, 'nodes.js');
		await bundleModules(['./dev/engine/bundledNodes'], file);
		return (await import(file)) as typeof bundledNodes;
	} finally {
		rmSync(folder, { recursive: true });
	}
}
