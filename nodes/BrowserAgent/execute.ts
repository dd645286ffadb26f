import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Runtime } from '../runtime';
import { closeItems, connectItems } from './connectItems';
import { failRun } from './failRun';
import { prepareItems } from './prepareItems';
import { createRun, isOpen } from './Run';
import { runItems } from './runItems';
import { isRound, prepareSuspension, runRound, suspendWaits } from './suspend';
import { toOutput } from './toOutput';

/**
 * Checks all items before anything is sent, runs them, and returns their output in the order of the
 * input. Throws only n8n's node errors, which name all jobs that the node started.
 *
 * In the sub-workflow that holds the waits of a suspended execution, runs a round of status checks
 * instead.
 */
export async function execute(
	context: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	if (isRound(context)) return [await runRound(context, runtime)];

	const run = createRun(context, runtime);
	let isFailure = true;
	try {
		prepareItems(run);
		await connectItems(run);
		await prepareSuspension(run);
		await runItems(run);
		let output = await suspendWaits(run);
		if (output === undefined) {
			// If n8n can't suspend the execution, its items are open again, and wait in this process.
			if (run.items.some(isOpen)) await runItems(run);
			output = toOutput(run);
		}
		isFailure = false;
		return [output];
	} catch (error) {
		throw await failRun(run, error);
	} finally {
		run.lifetime.end();
		closeItems(run, isFailure);
	}
}
