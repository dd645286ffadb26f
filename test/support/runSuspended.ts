import type { INodeParameters } from 'n8n-workflow';

import { toResult, workflowOf, type NodeResult, type NodeRun } from './runNode';
import { StoringEngine, type EngineLimits } from './StoringEngine';

/** A run whose wait n8n keeps. */
export interface SuspendedExecution {
	engine: StoringEngine;
	/** What the node gives in the end. */
	finished: Promise<NodeResult>;
}

/** Runs the action node with 'Suspend While Waiting', on an n8n that can keep the wait. */
export function startSuspended(options: NodeRun, limits: EngineLimits = {}): SuspendedExecution {
	const { parameters = {} } = options;
	const waitOptions = { ...(parameters.options as INodeParameters), durableWait: true };
	const { workflow, parts, first } = workflowOf({
		...options,
		parameters: { ...parameters, options: waitOptions },
	});
	const engine = new StoringEngine(parts, limits);
	return { engine, finished: toResult(engine.run(workflow, first, options.mode)) };
}

/** Agent: Run with these options, suspended while it waits. */
export function startSuspendedAgent(
	baseUrl: string,
	options: INodeParameters = {},
	{ parameters, ...more }: Partial<NodeRun> = {},
	limits: EngineLimits = {},
): SuspendedExecution {
	const run = { baseUrl, resource: 'agent', operation: 'run', ...more };
	return startSuspended(
		{ ...run, parameters: { directive: 'Find the price', options, ...parameters } },
		limits,
	);
}

/** Runs the agent with these parameters to the end of the node's own run. */
export async function runSuspendedOnce(
	baseUrl: string,
	parameters: INodeParameters,
	more: Partial<NodeRun>,
): Promise<NodeResult> {
	const run = { baseUrl, resource: 'agent', operation: 'run', parameters, ...more };
	return await startSuspended(run).finished;
}
