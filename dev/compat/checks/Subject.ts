import '../../engine/environment';

import { PackageDirectoryLoader } from 'n8n-core';
import type {
	ICredentialType,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	ITaskData,
} from 'n8n-workflow';

import { execute, type EngineParts, type Execution, type RunOptions } from '../../engine/engine';
import { AdminClient } from '../../sandbox/AdminClient';

const NODE_NAME = 'Browser Agent';
const AGENT_TYPE = 'n8n-nodes-browser-agent.browserAgent';

/** How to run the action node. */
interface NodeOptions extends RunOptions {
	/** Of the node itself, such as `retryOnFail`. */
	settings?: Partial<INode>;
}

/** How a run of the action node ended. */
export interface Result {
	items: INodeExecutionData[];
	error?: { message: string };
	task?: ITaskData;
	run: IRun;
}

/** The classes of the package. */
interface Classes {
	agent: INodeType;
	trigger: INodeType;
	credential: ICredentialType;
}

/** The package as this n8n has loaded it, and an account of the sandbox for its jobs. */
export class Subject {
	readonly admin: AdminClient;

	private constructor(
		readonly classes: Classes,
		private readonly url: string,
		private readonly apiKey = '',
	) {
		this.admin = new AdminClient(url);
	}

	/** Loads the unpacked package as n8n does. Throws when a class can't be loaded. */
	static async load(packageFolder: string, sandboxUrl: string): Promise<Subject> {
		const loader = new PackageDirectoryLoader(packageFolder);
		await loader.loadAll();
		const node = (name: string) => loader.getNode(name).type as INodeType;
		const classes = {
			agent: node('browserAgent'),
			trigger: node('browserAgentTrigger'),
			credential: loader.getCredential('browserAgentApi').type,
		};
		return new Subject(classes, sandboxUrl);
	}

	/** The same with another API key. Accounts don't share a rate limit. */
	withKey(apiKey: string): Subject {
		return new Subject(this.classes, this.url, apiKey);
	}

	/** Runs the action node to its end, as the only node of a workflow. */
	async run(
		parameters: INodeParameters,
		{ settings, ...options }: NodeOptions = {},
	): Promise<Result> {
		return toResult(await this.start(parameters, { settings, ...options }).finished);
	}

	/** The same, for a run that is to be stopped. */
	start(parameters: INodeParameters, { settings, ...options }: NodeOptions = {}): Execution {
		const nodes = [aNode(NODE_NAME, AGENT_TYPE, { parameters, ...settings })];
		const parts = this.parts({ [AGENT_TYPE]: this.classes.agent });
		return execute({ nodes, connections: {} }, parts, { ...options, startNode: NODE_NAME });
	}

	/** These node types, and the credential. */
	parts(nodeTypes: Record<string, INodeType>): EngineParts {
		const data = { baseUrl: this.url, apiKey: this.apiKey };
		const type = this.classes.credential;
		return { nodeTypes, credentials: { browserAgentApi: { type, data } } };
	}
}

/** A node in a workflow, with the credential. */
export function aNode(name: string, type: string, more: Partial<INode> = {}): INode {
	const credentials = { browserAgentApi: { id: 'credential-1', name: 'Browser Agent API' } };
	const position: [number, number] = [0, 0];
	return { id: name, name, type, typeVersion: 1, position, parameters: {}, credentials, ...more };
}

function toResult(run: IRun): Result {
	const task = run.data.resultData.runData[NODE_NAME]?.at(-1);
	return { items: task?.data?.main?.[0] ?? [], error: task?.error, task, run };
}
