import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { createSafeLogger, type LogOrigin } from '../errors/safeLogger';
import type { Runtime } from '../runtime';
import { ClientFactory } from '../service/ClientFactory';
import { highlightJob } from './highlightJob';
import { RunLifetime, type Run } from './Run';

/** The suspended run that a run continues: users know its node and its execution. */
export interface ContinuedRun {
	node: Pick<INode, 'id' | 'name'>;
	executionId: string;
	continueOnFail: boolean;
}

/**
 * Creates a run of the node, without items. If it continues a suspended one, its errors and its log
 * name that one's node and execution.
 */
export function createRun(
	context: IExecuteFunctions,
	runtime: Runtime,
	continued?: ContinuedRun,
): Run {
	const { clock } = runtime;
	const node = { ...context.getNode(), ...continued?.node };
	const clients = new ClientFactory(context, runtime);
	const redact = (text: string) => clients.redact(text);
	const origin = originOf(context, continued);
	const logger = createSafeLogger(context.logger, redact, origin);
	const lifetime = new RunLifetime(context.getExecutionCancelSignal());
	const executionId = context.getExecutionId() ?? '';
	const isTool = isToolRun(context, executionId);
	const continueOnFail = continued?.continueOnFail ?? context.continueOnFail();

	const run: Run = {
		context,
		runtime,
		clients,
		clock,
		node,
		redact,
		origin,
		logger,
		lifetime,
		signal: lifetime.signal,
		executionId,
		isTool,
		continueOnFail,
		memoryScope: memoryScopeOf(context, executionId, isTool),
		beganAt: clock.elapsed(),
		timeZone: context.getTimezone(),
		showHint: createHints(context),
		storeFile: context.helpers.prepareBinaryData,
		onStarted: (jobId) => highlightJob(run, jobId),
		isRetryCertain: () => !continueOnFail && !isTool && hasTryLeft(run),
		refusedStarts: new Map(),
		reportedClosings: new Map(),
		waitsInProgress: new Set(),
		items: [],
	};
	return run;
}

// Depending on n8n's version, a tool's context says so, or its node type ends in 'Tool'. n8n's own
// agents run the node without an execution; they, too, call it as a tool.
function isToolRun(context: IExecuteFunctions, executionId: string): boolean {
	if (executionId === '' || context.isToolExecution?.() === true) return true;
	return context.getNode().type.endsWith('Tool');
}

/** Returns `Run.memoryScope`: the same text for a run and its retries. */
function memoryScopeOf(context: IExecuteFunctions, executionId: string, isTool: boolean): string {
	const { name } = context.getNode();
	// n8n counts each tool call as another run. All of them have one scope, so that a call that the
	// agent repeats is recognized.
	const runIndex: unknown = isTool ? '' : context.evaluateExpression('{{ $runIndex }}', 0);
	return JSON.stringify([executionId, name, runIndex]);
}

/** Whether n8n's Retry On Fail runs the node again if this run of it fails. */
export function hasTryLeft(run: Run): boolean {
	return triesOf(run) < maxTriesOf(run.node);
}

/** Returns how many times n8n has run the node so far. n8n doesn't say, so the memory counts. */
function triesOf({ items }: Run): number {
	return Math.max(1, ...items.map(({ entry }) => entry?.tries ?? 1));
}

/** Returns how many times n8n runs the node if it fails each time. */
function maxTriesOf({ retryOnFail, maxTries = 3 }: INode): number {
	return retryOnFail === true ? Math.min(5, Math.max(2, maxTries)) : 1;
}

/** Returns where the lines of the log come from: for a round, from the suspended run. */
export function originOf(context: IExecuteFunctions, continued?: ContinuedRun): LogOrigin {
	const { id: workflowId, name: workflowName } = context.getWorkflow();
	if (continued !== undefined) {
		const { node, executionId } = continued;
		// n8n gives the inner execution a workflow name of its own.
		return { executionId, workflowId, nodeName: node.name };
	}
	const executionId = context.getExecutionId();
	return { executionId, workflowId, workflowName, nodeName: context.getNode().name };
}

/** Returns a function that shows a hint beside the output, each text once. */
function createHints(context: IExecuteFunctions): (message: string) => void {
	const shown = new Set<string>();
	return (message) => {
		if (shown.has(message)) return;
		shown.add(message);
		context.addExecutionHints?.({ message, type: 'info', location: 'outputPane' });
	};
}
