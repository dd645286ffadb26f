import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Runtime } from '../runtime';
import { createRun } from './createRun';
import { failRun } from './failRun';
import { finishRun } from './finishRun';
import { openSessions } from './openSessions';
import { prepareItems } from './prepareItems';
import { runItems } from './runItems';
import { readResumedStep, restoreItems } from './suspend/restoreItems';
import { continueInProcess, suspend } from './suspend/suspend';
import { toRoundOutput } from './suspend/suspendedJson';

/**
 * Checks all items before anything is sent, runs them, and returns their output in the order of the
 * input. Throws only n8n's node errors, which name all jobs that the node has started.
 */
export async function execute(
	context: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	// Set only in an inner execution, the one of the sub-workflow that waits: it resumes the waits.
	const resumed = readResumedStep(context);
	const prepared = resumed === undefined ? prepareItems(context) : [];
	const run = createRun(context, runtime, prepared, resumed?.state);
	try {
		// A prepared item gets a session and runs. Then it is processed: its outcome can be a suspended
		// wait. An item that fails before it runs is processed, too.
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
		return [finishRun(run, processed)];
	} catch (error) {
		throw await failRun(run, error);
	} finally {
		run.end.finish();
	}
}
