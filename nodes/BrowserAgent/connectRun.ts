import type { IExecuteFunctions } from 'n8n-workflow';

import { connect } from '../service/connect';
import type { ProblemPlace } from '../errors/toNodeError';
import { storeFile } from '../output/storeFile';
import { currentClock } from '../async/clock';
import type { SharedRun } from './operations/operation';
import { Progress } from './progress';

/** Connects to the service for a node run. Throws what `connect` throws. */
export async function connectRun(
	context: IExecuteFunctions,
	signal: AbortSignal,
): Promise<SharedRun> {
	return {
		client: await connect(context),
		clock: currentClock(),
		logger: context.logger,
		signal,
		progress: new Progress(),
		storeFile: async (...file) => await storeFile(context.helpers, ...file),
	};
}

/** The node, as its errors name it. */
export function placeOf(context: IExecuteFunctions): ProblemPlace {
	return { node: context.getNode(), isTool: isTool(context) };
}

// As a tool, n8n runs the node under a type of its own, or in a context that says so.
function isTool(context: IExecuteFunctions): boolean {
	return (context.isToolExecution?.() ?? false) || context.getNode().type.endsWith('Tool');
}
