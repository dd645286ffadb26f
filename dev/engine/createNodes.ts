import type { IExecuteFunctions, INodeType, IPollFunctions } from 'n8n-workflow';

import type * as bundledNodes from './bundledNodes';

type CreateRuntime = (typeof bundledNodes)['createRuntime'];

/** Both nodes of a bundle, on a runtime of their own: they know of no earlier calls. */
export function createNodes(
	{ createRuntime, execute, poll, BrowserAgent, BrowserAgentTrigger }: typeof bundledNodes,
	options: Parameters<CreateRuntime>[0],
): { agent: INodeType; trigger: INodeType } {
	const runtime = createRuntime(options);
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
}
