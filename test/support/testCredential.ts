import './quietEngine';

import { createAdditionalData, createWorkflow, type EngineParts } from '../../dev/engine/engine';
import { ExecuteContext, RoutingNode } from 'n8n-core';
import { createRunExecutionData, type INode, type INodeType } from 'n8n-workflow';

import { BrowserAgentApi } from '../../credentials/BrowserAgentApi.credentials';
import { testNode, testNodeType } from './runNode';

const CREDENTIAL = 'browserAgentApi';

/** What the user reads after a click on "Retry" or "Save" in the credential. */
export interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
}

/**
 * Tests a filled-in credential with n8n-core, step by step as n8n's own server does: it makes a node
 * of the request, runs it, and looks up the status or the body of the response in the rules.
 */
export async function testCredential(data: {
	baseUrl: string;
	apiKey: string;
}): Promise<CredentialTestResult> {
	const type = new BrowserAgentApi();
	const node: INode = {
		...testNode('Temp-Node', 'test.noOp'),
		credentials: { [CREDENTIAL]: { id: 'credential-1', name: 'Browser Agent API' } },
	};
	const nodeType = requestNode(type);
	const parts: EngineParts = {
		nodeTypes: { 'test.noOp': nodeType },
		credentials: { [CREDENTIAL]: { type, data } },
	};
	const context = new ExecuteContext(
		createWorkflow({ nodes: [node], connections: {} }, parts),
		node,
		createAdditionalData(parts),
		'internal',
		createRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);

	try {
		const output = await new RoutingNode(context, nodeType, {
			id: 'credential-1',
			name: 'Browser Agent API',
			type: CREDENTIAL,
			data,
		}).runNode();
		const message = messageForBody(output?.[0]?.[0]?.json, type);
		return message === undefined
			? { status: 'OK', message: 'Connection successful!' }
			: { status: 'Error', message };
	} catch (error) {
		return { status: 'Error', message: messageOf(error as TestError, type) };
	}
}

interface TestError extends Error {
	cause?: { code?: string; response?: { status: number; statusText: string } };
}

function requestNode({ test }: BrowserAgentApi): INodeType {
	const { description } = testNodeType({ inputs: [], outputs: [] }, async () => []);
	return {
		description: {
			...description,
			credentials: [{ name: CREDENTIAL, required: true }],
			properties: [
				{
					displayName: 'Temp',
					name: 'temp',
					type: 'string',
					routing: { request: test.request },
					default: '',
				},
			],
		},
	};
}

function messageForBody(body: unknown, { test }: BrowserAgentApi): string | undefined {
	const rule = test.rules?.find(
		({ type, properties }) =>
			type === 'responseSuccessBody' &&
			(body as Record<string, unknown> | undefined)?.[properties.key] === properties.value,
	);
	return rule?.properties.message;
}

function messageOf({ message, cause }: TestError, { test }: BrowserAgentApi): string {
	if (cause?.response === undefined) return cause?.code ?? message;
	const { status, statusText } = cause.response;
	const rule = test.rules?.find(
		({ type, properties }) => type === 'responseCode' && properties.value === status,
	);
	return rule?.properties.message ?? (statusText || `Received HTTP status code: ${status}`);
}
