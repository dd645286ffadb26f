import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Runtime } from '../runtime';
import { openSessions } from './openSessions';
import { createRun } from './createRun';
import { failRun } from './failRun';
import { prepareItems } from './prepareItems';
import { runItems } from './runItems';
import { readResumedStep, restoreItems } from './suspend/restoreItems';
import { continueInProcess, suspend } from './suspend/suspend';
import { toRoundOutput } from './suspend/suspendedJson';
import { toOutput } from './toOutput';

/**
 * Checks all items before anything is sent, runs them, and returns their output in the order of the
 * input. Throws only n8n's node errors, which name all jobs that the node has started.
 */
export async function execute(
	context: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	// Only an inner execution resumes suspended waits.
	const resumed = readResumedStep(context);
	const prepared = resumed === undefined ? prepareItems(context) : [];
	const run = createRun(context, runtime, prepared, resumed?.state);
	try {
		// Prepared items are connected, run and processed. One that has failed is settled at once.
		const items = resumed
			? await restoreItems(run, resumed.state)
			: await openSessions(run, prepared);
		let processed = await runItems(run, items);
		if (resumed?.step === 'poll') return [toRoundOutput(run, resumed.state, processed)];
		if (processed.some(({ outcome }) => outcome.kind === 'suspended')) {
			const waiting = await suspend(run, processed);
			if (waiting !== undefined) return [waiting];
			processed = await runItems(run, processed.map(continueInProcess));
		}
		return [toOutput(run, processed)];
	} catch (error) {
		throw await failRun(run, error);
	} finally {
		run.end.finish();
	}
}
