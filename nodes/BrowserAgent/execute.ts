import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Runtime } from '../runtime';
import { connectItems } from './connectItems';
import { endFailedRun } from './endFailedRun';
import { openRun } from './openRun';
import { prepareItems } from './prepareItems';
import { isSuspended } from './run';
import { runItems } from './runItems';
import { readResumedStep, resume } from './suspend/resume';
import { suspend } from './suspend/suspend';
import { toOutput } from './toOutput';

/**
 * One run of the node: prepares all items, so that everything is checked before anything is sent;
 * opens the run; runs the items, a few at a time; and returns their output in the order of the input.
 * Throws n8n's errors only, which name all jobs that the node has started.
 */
export async function execute(
	context: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	const resumed = readResumedStep(context);
	const prepared = resumed === undefined ? prepareItems(context) : [];
	const run = openRun(context, runtime, prepared, resumed?.state);
	try {
		if (resumed !== undefined) return [await resume(run, resumed)];
		const items = await connectItems(run, prepared);
		const results = await runItems(run, items);
		const isWaiting = results.some(({ result }) => isSuspended(result));
		return [isWaiting ? await suspend(run, results) : toOutput(run, results)];
	} catch (error) {
		throw await endFailedRun(run, error);
	} finally {
		run.abort();
		run.ledger.release(run.signal);
	}
}
