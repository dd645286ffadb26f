import type { INodeParameters } from 'n8n-workflow';

import { INPUT_NAME, toResult, workflowOf, type NodeRun } from './runNode';
import { StoringEngine, type EngineLimits } from './StoringEngine';

/**
 * Runs the action node with 'Suspend While Waiting', on an n8n that can keep the wait. `finished` is what
 * the node gives in the end.
 */
export function startSuspended(options: NodeRun, limits?: EngineLimits) {
	const { parameters = {}, mode } = options;
	const waitOptions = { ...(parameters.options as INodeParameters), durableWait: true };
	const run = { ...options, parameters: { ...parameters, options: waitOptions } };
	const { workflow, parts } = workflowOf(run);
	const engine = new StoringEngine(parts, limits);
	return { engine, finished: toResult(engine.run(workflow, INPUT_NAME, mode)) };
}
