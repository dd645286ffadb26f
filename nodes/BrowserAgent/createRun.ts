import type { IExecuteFunctions } from 'n8n-workflow';

import { createSafeLogger } from '../errors/safeLogger';
import { CreditGuard } from '../jobs/CreditGuard';
import { JobLedger } from '../jobs/JobLedger';
import type { Runtime } from '../runtime';
import { ClientFactory } from '../service/ClientFactory';
import { RunEnd } from './RunEnd';
import { createSuspension } from './suspend/createSuspension';
import type { SuspendedState } from './suspend/state';
import type { PreparedItem, Run, ProcessedItem } from './types';

/**
 * Creates a run of the node, and counts it in its `LedgerStore`, which earlier runs may have
 * filled. May show a hint that its waits can't be suspended. A run that resumes `suspended` waits
 * names, in its errors, the node that has suspended them: the only one that users know.
 */
export function createRun(
	context: IExecuteFunctions,
	runtime: Runtime,
	prepared: Array<PreparedItem | ProcessedItem>,
	suspended?: SuspendedState,
): Run {
	const { clock, innerExecutions, ledgerStoreOf } = runtime;
	const clients = new ClientFactory(context, runtime);
	const redact = (text: string) => clients.redact(text);
	const logger = createSafeLogger(context.logger, redact);
	const end = new RunEnd(context.getExecutionCancelSignal());
	const { signal } = end;
	const isTool = isToolRun(context);
	// n8n counts each call of a tool as another run, but an agent may repeat a call.
	const name = isTool ? 'tool' : `run ${String(context.evaluateExpression('{{ $runIndex }}', 0))}`;
	const store = ledgerStoreOf(context.getContext('node'), name);
	const ledger = new JobLedger(store, clock);
	const executionId = context.getExecutionId() ?? '';
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
		redact,
		logger,
		continueOnFail: suspended?.continueOnFail ?? context.continueOnFail(),
		beganAt: clock.now(),
		end,
		signal,
		suspension: createSuspension(context, prepared, { clock, signal, isTool }),
	};
}

// n8n runs a tool as a node whose type ends in 'Tool', or in a context that says so.
function isToolRun(context: IExecuteFunctions): boolean {
	return (context.isToolExecution?.() ?? false) || context.getNode().type.endsWith('Tool');
}
