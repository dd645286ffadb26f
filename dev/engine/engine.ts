import './environment';

import { ExecutionLifecycleHooks, PollContext, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type IDataObject,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialsExpressionResolveValues,
	type ICredentialType,
	type IExecuteData,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IRunExecutionData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

/** The parts of a workflow that the engine needs. */
type WorkflowParts = Pick<IWorkflowBase, 'nodes' | 'connections'> &
	Partial<Pick<IWorkflowBase, 'id' | 'name' | 'settings'>>;

/** The node types and credentials that a workflow may use. */
export interface EngineParts {
	/** The node types, by full name. */
	nodeTypes: Record<string, INodeType>;
	/** The credentials, by the name of their type, e.g. `browserAgentApi`, with their values. */
	credentials: Record<string, { type: ICredentialType; data: ICredentialDataDecryptedObject }>;
}

/** How to run a workflow. */
export interface RunOptions {
	mode?: WorkflowExecuteMode;
	/** The input of the first node; unset: one empty item. */
	input?: INodeExecutionData[];
	/** Name of the node to start with; unset: the one without an input. */
	startNode?: string;
	onNodeStart?: (nodeName: string) => void;
	onNodeEnd?: (nodeName: string, run: IRun['data']) => void;
	parentExecution?: IRunExecutionData['parentExecution'];
	/** The data of a waiting execution, which is resumed; unset: a new execution begins. */
	stored?: IRunExecutionData;
	/** Replaces parts of what n8n passes to an execution besides the workflow. */
	additionalData?: Partial<IWorkflowExecuteAdditionalData>;
}

/** A running execution. */
export interface Execution {
	finished: Promise<IRun>;
	/** What n8n does when a user clicks Stop. */
	stop(): void;
}

/**
 * Runs a workflow on n8n's own engine, n8n-core, as n8n does: expressions, retries, error outputs.
 */
export function execute(
	workflowData: WorkflowParts,
	parts: EngineParts,
	{ mode = 'trigger', stored, additionalData, onNodeStart, onNodeEnd, ...start }: RunOptions = {},
): Execution {
	const workflow = createWorkflow(workflowData, parts);
	const id = additionalData?.executionId ?? '1';
	const hooks = new ExecutionLifecycleHooks(mode, id, workflowData as IWorkflowBase);
	hooks.addHandler('nodeExecuteBefore', (name) => onNodeStart?.(name));
	hooks.addHandler('nodeExecuteAfter', (name, _task, data) => onNodeEnd?.(name, data));

	const running = new WorkflowExecute(
		{ ...createAdditionalData(parts, hooks), ...additionalData },
		mode,
		stored ?? createStart(workflow, start),
	).processRunExecutionData(workflow);
	return {
		finished: Promise.resolve(running),
		stop: () => running.cancel(),
	};
}

function createStart(
	workflow: Workflow,
	{ input = [{ json: {} }], startNode = '', parentExecution }: RunOptions,
): IRunExecutionData {
	const node = workflow.getNode(startNode) ?? workflow.getStartNode();
	if (!node) throw new Error('The workflow has no node to start with');
	const first: IExecuteData = { node, data: { main: [input] }, source: null };
	const executionData = { nodeExecutionStack: [first], contextData: {} };
	// n8n before 1.120 does not export it.
	if ((createRunExecutionData as unknown) !== undefined) {
		return createRunExecutionData({ executionData, parentExecution });
	}
	const nothing = { metadata: {}, waitingExecution: {}, waitingExecutionSource: {} };
	return {
		startData: {},
		resultData: { runData: {}, pinData: {} },
		executionData: { ...executionData, ...nothing },
	} as unknown as IRunExecutionData;
}

/** A node in a workflow, with the package's credential. */
export function createNode(name: string, type: string, more: Partial<INode> = {}): INode {
	const credentials = { browserAgentApi: { id: '1', name: 'Browser Agent API' } };
	const position: [number, number] = [0, 0];
	return { id: name, name, type, typeVersion: 1, position, parameters: {}, credentials, ...more };
}

/** An n8n workflow, for contexts that tests create themselves. */
export function createWorkflow(
	{ id = 'workflow-1', name = 'Test', nodes, connections, settings }: WorkflowParts,
	{ nodeTypes }: EngineParts,
	staticData?: IDataObject,
): Workflow {
	return new Workflow({
		id,
		name,
		nodes,
		connections,
		active: false,
		nodeTypes: createNodeTypes(nodeTypes),
		staticData,
		settings: { executionOrder: 'v1', ...settings },
	});
}

/** The context of a trigger's polls. Polls with the same context share their static data. */
export function createPollContext(node: INode, parts: EngineParts): PollContext {
	const workflow = createWorkflow({ nodes: [node], connections: {} }, parts);
	return new PollContext(workflow, node, createAdditionalData(parts), 'trigger', 'update');
}

/** What n8n passes to an execution besides the workflow. */
export function createAdditionalData(
	{ credentials }: EngineParts,
	hooks?: ExecutionLifecycleHooks,
): IWorkflowExecuteAdditionalData {
	const nowhere = 'http://127.0.0.1:1/';
	return {
		credentialsHelper: new FixedCredentials(credentials),
		hooks,
		executionId: '1',
		currentNodeExecutionIndex: 0,
		webhookWaitingBaseUrl: nowhere,
		formWaitingBaseUrl: nowhere,
		restApiUrl: nowhere,
		instanceBaseUrl: nowhere,
		variables: {},
		logAiEvent: () => {},
		setExecutionStatus: () => {},
	} as unknown as IWorkflowExecuteAdditionalData;
}

function createNodeTypes(types: Record<string, INodeType>): INodeTypes {
	const get = (name: string) => {
		const type = types[name];
		if (type === undefined) throw new Error(`The engine has no node type ${name}`);
		return type;
	};
	return {
		getByName: get,
		getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(get(name), version),
		getKnownTypes: () => ({}),
	};
}

class FixedCredentials extends ICredentialsHelper {
	constructor(private readonly credentials: EngineParts['credentials']) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		data: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.find(typeName).type;
		if (typeof authenticate !== 'function')
			throw new Error(`${typeName} has no authenticate function`);
		return await authenticate(data, options);
	}

	async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('Encrypted credentials are not supported');
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_details: NonNullable<INode['credentials']>[string],
		typeName: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const { data } = this.find(typeName);
		if (values === undefined) return { ...data };
		// As in n8n, for the requested item.
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			data as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
			false,
			{},
		) as ICredentialDataDecryptedObject;
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties(typeName: string): INodeProperties[] {
		return this.find(typeName).type.properties;
	}

	private find(typeName: string) {
		const found = this.credentials[typeName];
		if (found === undefined) throw new Error(`The engine has no credential ${typeName}`);
		return found;
	}
}
