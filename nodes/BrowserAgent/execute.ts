import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { createSafeLogger } from '../errors/safeLogger';
import { stoppedError } from '../errors/stoppedError';
import { toNodeError } from '../errors/toNodeError';
import type { Runtime } from '../runtime';
import { assignSessions } from './assignSessions';
import { createRun } from './createRun';
import { failRun } from './failRun';
import { finishRun } from './finishRun';
import { originOf } from './originOf';
import { prepareItems } from './prepareItems';
import { runItems } from './runItems';
import { readResumedStep, restoreItems } from './suspend/restoreItems';
import { continueInProcess, suspend } from './suspend/suspend';
import { toRoundOutput } from './suspend/suspendedJson';

/**
 * Checks all items before anything is sent, runs them, and returns their output in the order of the
 * input. Throws only n8n's node errors, which name all jobs that the node started.
 */
export async function execute(
	context: IExecuteFunctions,
	runtime: Runtime,
): Promise<INodeExecutionData[][]> {
	// Set only in an inner execution, i.e. in the sub-workflow that does the waiting.
	const resumed = readResumed(context, runtime);
	const prepared = resumed === undefined ? prepareItems(context) : [];
	const run = createRun(context, runtime, prepared, resumed?.state);
	// As long as nothing else is known, the run has failed.
	let hasFailed = true;
	try {
		// An item that has already failed has its outcome. All others get a session and run; their
		// outcomes may also be suspended waits.
		const items = resumed
			? await restoreItems(run, resumed.state)
			: await assignSessions(run, prepared);
		let outcomes = await runItems(run, items);
		hasFailed = outcomes.some(({ outcome }) => outcome.kind === 'failed');
		if (resumed?.step === 'poll') return [toRoundOutput(run, resumed.state, outcomes)];
		if (outcomes.some(({ outcome }) => outcome.kind === 'suspended')) {
			const waiting = await suspend(run, outcomes);
			// n8n doesn't suspend an execution that was stopped meanwhile, and stores no error of it, by
			// which the inner execution would notice.
			if (run.lifetime.isStopped) throw stoppedError('the node stopped waiting for its jobs');
			if (waiting !== undefined) return [waiting];
			outcomes = await runItems(run, outcomes.map(continueInProcess));
			hasFailed = outcomes.some(({ outcome }) => outcome.kind === 'failed');
		}
		return [finishRun(run, outcomes)];
	} catch (error) {
		hasFailed = true;
		throw await failRun(run, error);
	} finally {
		run.lifetime.end();
		run.ledger.close(hasFailed);
	}
}

function readResumed(context: IExecuteFunctions, { clock }: Runtime) {
	try {
		return readResumedStep(context, clock);
	} catch (error) {
		const redact = (text: string) => text;
		const logger = createSafeLogger(context.logger, redact, originOf(context));
		throw toNodeError(error, { node: context.getNode(), redact, logger });
	}
}
