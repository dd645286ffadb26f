import type { IExecuteFunctions } from 'n8n-workflow';

import { anySignal } from '../async/abortSignals';
import { createSafeLogger } from '../errors/safeLogger';
import { JobLedger } from '../jobs/JobLedger';
import { createStoreFile } from '../output/fileItem';
import type { Runtime } from '../runtime';
import { Connector } from '../service/connect';
import type { Prepared } from './prepareItems';
import type { Run, RunResult } from './run';
import { RunSummary } from './RunSummary';
import { createSuspension } from './suspend/createSuspension';
import type { SuspendedState } from './suspend/state';

/**
 * Opens a run of the node: with the ledger that earlier tries have left, and a signal that ends it. Its
 * errors name the node whose waits are `suspended`, if it resumes such waits: users know no other.
 */
export function openRun(
	context: IExecuteFunctions,
	runtime: Runtime,
	prepared: Array<Prepared | RunResult>,
	suspended?: SuspendedState,
): Run {
	const { clock, ledgerStoreOf, schedulerOf } = runtime;
	const connector = new Connector(context, runtime);
	const redact = (text: string) => connector.redact(text);
	const stopSignal = context.getExecutionCancelSignal();
	const end = new AbortController();
	const isTool = isToolRun(context);
	// n8n counts each call of a tool as a run of its own, and an agent may repeat a call.
	const name = isTool ? 'tool' : `run ${String(context.evaluateExpression('{{ $runIndex }}', 0))}`;
	return {
		context,
		connector,
		clock,
		ledger: new JobLedger(ledgerStoreOf(context.getContext('node'), name), clock),
		schedulerOf,
		place: { node: { ...context.getNode(), ...suspended?.node }, isTool, redact },
		logger: createSafeLogger(context.logger, redact),
		summary: new RunSummary(),
		storeFile: createStoreFile(context.helpers),
		continueOnFail: suspended?.continueOnFail ?? context.continueOnFail(),
		execution: context.getExecutionId() ?? '',
		startedElsewhere: suspended?.startedJobIds ?? [],
		suspension: prepared.some((one) => 'prepared' in one && one.prepared.suspends)
			? createSuspension(context, clock, isTool)
			: undefined,
		signal: anySignal(end.signal, stopSignal),
		abort: () => end.abort(),
		beganStopped: stopSignal?.aborted === true,
		isStopped: () => stopSignal?.aborted === true,
	};
}

// As a tool, n8n runs the node under a type of its own, or in a context that says so.
function isToolRun(context: IExecuteFunctions): boolean {
	return (context.isToolExecution?.() ?? false) || context.getNode().type.endsWith('Tool');
}
