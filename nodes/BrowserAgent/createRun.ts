import type { IExecuteFunctions } from 'n8n-workflow';

import { createSafeLogger } from '../errors/safeLogger';
import { CreditGuard } from '../jobs/CreditGuard';
import { JobLedger } from '../jobs/JobLedger';
import type { Runtime } from '../runtime';
import { ClientFactory } from '../service/ClientFactory';
import { RunLifetime } from './RunLifetime';
import { createSuspension } from './suspend/createSuspension';
import type { SuspendedState } from './suspend/state';
import type { ItemOutcome, PreparedItem, Run } from './types';

/**
 * Creates a run of the node. Its ledger counts it in the store that the run shares with its
 * retries, which may hold entries of earlier runs. May show a hint that the waits can't be
 * suspended. If the run resumes waits (`suspended`), its errors name the node that suspended them,
 * because that is the node users see.
 */
export function createRun(
	context: IExecuteFunctions,
	runtime: Runtime,
	prepared: Array<PreparedItem | ItemOutcome>,
	suspended?: SuspendedState,
): Run {
	const { clock, innerExecutions, ledgerStoreOf } = runtime;
	const clients = new ClientFactory(context, runtime);
	const redact = (text: string) => clients.redact(text);
	const logger = createSafeLogger(context.logger, redact);
	const lifetime = new RunLifetime(context.getExecutionCancelSignal());
	const { signal } = lifetime;
	const isTool = isToolRun(context);
	// n8n counts each tool call as another run. All of them share one store, so that a call that the
	// agent repeats is recognized.
	const name = isTool ? 'tool' : `run ${String(context.evaluateExpression('{{ $runIndex }}', 0))}`;
	const store = ledgerStoreOf(context.getContext('node'), name);
	const ledger = new JobLedger(store, clock);
	const executionId = context.getExecutionId() ?? '';
	const showHint = createHints(context);
	return {
		context,
		clients,
		clock,
		executionId,
		ledger,
		credits: new CreditGuard(clock, executionId, signal),
		innerExecutions,
		node: { ...context.getNode(), ...suspended?.node },
		isTool,
		showHint,
		redact,
		logger,
		continueOnFail: suspended?.continueOnFail ?? context.continueOnFail(),
		waitsInProgress: new Set(),
		startedAt: clock.now(),
		lifetime,
		signal,
		// If undefined, all waits stay in this process.
		suspension: createSuspension(context, prepared, { clock, signal, isTool, showHint }),
	};
}

// Depending on n8n's version, a tool's context says so, or its node type ends in 'Tool'.
function isToolRun(context: IExecuteFunctions): boolean {
	return (context.isToolExecution?.() ?? false) || context.getNode().type.endsWith('Tool');
}

/** Returns `Run.showHint`. */
function createHints(context: IExecuteFunctions): (message: string) => void {
	const shown = new Set<string>();
	return (message) => {
		if (shown.has(message)) return;
		shown.add(message);
		context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
	};
}
