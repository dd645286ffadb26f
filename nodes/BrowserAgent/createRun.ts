import type { IExecuteFunctions } from 'n8n-workflow';

import { createSafeLogger } from '../errors/safeLogger';
import type { Runtime } from '../runtime';
import { ClientFactory } from '../service/ClientFactory';
import { originOf } from './originOf';
import { RunLifetime } from './RunLifetime';
import { createSuspension } from './suspend/createSuspension';
import type { SuspendedState } from './suspend/state';
import type { ItemOutcome, PreparedItem, Run } from './types';

/**
 * Creates a run of the node. Its ledger may hold entries of the runs that it retries. May show a
 * hint that the waits can't be suspended. If the run resumes waits (`suspended`), its errors name
 * the node that suspended them, because that is the node users see.
 */
export function createRun(
	context: IExecuteFunctions,
	runtime: Runtime,
	prepared: Array<PreparedItem | ItemOutcome>,
	suspended?: SuspendedState,
): Run {
	const { clock, innerExecutions } = runtime;
	const clients = new ClientFactory(context, runtime);
	const redact = (text: string) => clients.redact(text);
	const origin = originOf(context, suspended);
	const logger = createSafeLogger(context.logger, redact, origin);
	const lifetime = new RunLifetime(context.getExecutionCancelSignal());
	const { signal } = lifetime;
	const executionId = context.getExecutionId() ?? '';
	const isTool = isToolRun(context, executionId);
	const ledger = runtime.ledger.openRun({
		scope: scopeOf(context, executionId, isTool),
		sharesCalls: isTool,
		hasExecution: executionId !== '',
		hasRetryOnFail: context.getNode().retryOnFail === true,
	});
	const showHint = createHints(context);
	return {
		context,
		clients,
		clock,
		executionId,
		ledger,
		innerExecutions,
		node: { ...context.getNode(), ...suspended?.node },
		isTool,
		showHint,
		redact,
		logger,
		origin,
		continueOnFail: suspended?.continueOnFail ?? context.continueOnFail(),
		refusedStarts: new Map(),
		waitsInProgress: new Set(),
		startedAt: clock.now(),
		lifetime,
		signal,
		// If undefined, all waits stay in this process.
		suspension: createSuspension(context, prepared, { clock, signal, isTool, showHint }),
	};
}

// Depending on n8n's version, a tool's context says so, or its node type ends in 'Tool'. n8n's own
// agents run the node without an execution; they, too, call it as a tool.
function isToolRun(context: IExecuteFunctions, executionId: string): boolean {
	if (executionId === '' || context.isToolExecution?.() === true) return true;
	return context.getNode().type.endsWith('Tool');
}

/** Returns `LedgerRun.scope`. */
function scopeOf(context: IExecuteFunctions, executionId: string, isTool: boolean): string {
	const { name } = context.getNode();
	// n8n counts each tool call as another run. All of them have one scope, so that a call that the
	// agent repeats is recognized.
	const runIndex: unknown = isTool ? '' : context.evaluateExpression('{{ $runIndex }}', 0);
	return JSON.stringify([executionId, name, runIndex]);
}

/** Returns a function that shows a hint beside the output, each text once. */
export function createHints(context: IExecuteFunctions): (message: string) => void {
	const shown = new Set<string>();
	return (message) => {
		if (shown.has(message)) return;
		shown.add(message);
		context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
	};
}
