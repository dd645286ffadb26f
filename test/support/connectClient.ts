import '../../dev/engine/quietEngine';

import { createAdditionalData, createWorkflow, type EngineParts } from '../../dev/engine/engine';
import { ExecuteContext } from 'n8n-core';
import { createRunExecutionData } from 'n8n-workflow';

import { ClientFactory } from '../../nodes/service/ClientFactory';
import type { ServiceClient } from '../../nodes/service/ServiceClient';
import { ServiceError } from '../../nodes/errors/ServiceError';
import { AGENT_TYPE, agentNode, credentialFor, type NodeRun } from './runNode';
import { TestAgent, testRuntime } from './testRuntime';

/** What to connect with; `signal` is the execution's, which a Stop aborts. */
export type ClientOptions = Pick<NodeRun, 'baseUrl' | 'apiKey' | 'onRequest'> & {
	signal?: AbortSignal;
};

/** A client like the node's: in an execution of n8n-core, with a credential. */
export async function connectClient(options: ClientOptions): Promise<ServiceClient> {
	const node = agentNode({});
	const parts: EngineParts = {
		nodeTypes: { [AGENT_TYPE]: new TestAgent() },
		credentials: credentialFor(options),
	};
	const context = new ExecuteContext(
		createWorkflow({ nodes: [node], connections: {} }, parts),
		node,
		createAdditionalData(parts),
		'trigger',
		createRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
		options.signal,
	);
	return await new ClientFactory(context, testRuntime()).clientFor(0);
}

/** The error that a call to the service fails with. */
export async function serviceErrorOf(call: Promise<unknown>): Promise<ServiceError> {
	const error = await call.then(
		() => 'none',
		(thrown: unknown) => thrown,
	);
	if (error instanceof ServiceError) return error;
	throw new Error(`Not an error of the service: ${String(error)}`);
}
