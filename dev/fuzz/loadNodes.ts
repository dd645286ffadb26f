import type { ICredentialType, INodeType } from 'n8n-workflow';
import path from 'node:path';

import type { Clock } from '../../nodes/async/clock';
import { bundleModules } from '../build/bundle';
import type * as bundledNodes from '../engine/bundledNodes';
import { createNodes } from '../engine/createNodes';

/** The nodes and the credential of a built package. */
export interface LoadedNodes {
	credential: ICredentialType;
	/** The nodes on a runtime of their own, which knows of no earlier calls. */
	create(clock: Clock): { agent: INodeType; trigger: INodeType };
}

/** Builds the package into `folder` and loads it from there. */
export async function buildAndLoadNodes(folder: string): Promise<LoadedNodes> {
	const file = path.join(folder, 'package.js');
	await bundleModules(['./dev/engine/bundledNodes'], file);
	const bundle = (await import(file)) as typeof bundledNodes;
	return {
		credential: new bundle.BrowserAgentApi(),
		create: (clock) => createNodes(bundle, { clock }),
	};
}
