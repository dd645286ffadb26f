import type { ICredentialType, IExecuteFunctions, INodeType, IPollFunctions } from 'n8n-workflow';
import path from 'node:path';

import type { Clock } from '../../nodes/async/clock';
import { bundleModules } from '../build/bundle';
import type * as builtNodes from './builtNodes';

/** The nodes and the credential of a built package. */
export interface LoadedNodes {
	credential: ICredentialType;
	/** The nodes on a runtime of their own, which knows of no earlier calls. */
	create(clock: Clock): { agent: INodeType; trigger: INodeType };
}

/** Builds the package into `folder` and loads it from there. */
export async function buildAndLoadNodes(folder: string): Promise<LoadedNodes> {
	const file = path.join(folder, 'package.js');
	await bundleModules(['./dev/fuzz/builtNodes'], file);
	const loaded = (await import(file)) as typeof builtNodes;
	const { BrowserAgent, BrowserAgentApi, BrowserAgentTrigger, createRuntime, execute, poll } =
		loaded;
	return {
		credential: new BrowserAgentApi(),
		create(clock) {
			const runtime = createRuntime({ clock });
			const agent = Object.assign(new BrowserAgent(), {
				async execute(this: IExecuteFunctions) {
					return await execute(this, runtime);
				},
			});
			const trigger = Object.assign(new BrowserAgentTrigger(), {
				async poll(this: IPollFunctions) {
					return await poll(this, runtime);
				},
			});
			return { agent, trigger };
		},
	};
}
