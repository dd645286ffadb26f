import type { IExecuteFunctions } from 'n8n-workflow';

import type { LogOrigin } from '../errors/safeLogger';
import type { SuspendedState } from './suspend/state';

/**
 * Returns what the log names as the origin of a run's lines. If the run resumes waits
 * (`suspended`), that is the execution and the node that suspended them: users know those, and n8n
 * gives the inner execution a workflow name of its own.
 */
export function originOf(
	context: Pick<IExecuteFunctions, 'getExecutionId' | 'getNode' | 'getWorkflow'>,
	suspended?: Pick<SuspendedState, 'node' | 'suspendedExecutionId'>,
): LogOrigin {
	const { id: workflowId, name: workflowName } = context.getWorkflow();
	if (suspended !== undefined) {
		const { node, suspendedExecutionId: executionId } = suspended;
		return { executionId, workflowId, nodeName: node.name };
	}
	const executionId = context.getExecutionId();
	return { executionId, workflowId, workflowName, nodeName: context.getNode().name };
}
