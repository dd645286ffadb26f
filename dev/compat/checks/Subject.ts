import type { INode, INodeParameters, INodeType } from 'n8n-workflow';

import {
	createNode,
	execute,
	type EngineParts,
	type Execution,
	type RunOptions,
} from '../../engine/engine';
import type { LoadedPackage } from '../../engine/loadPackage';
import { AdminClient } from '../../sandbox/AdminClient';

const NODE_NAME = 'Browser Agent';
const AGENT_TYPE = 'n8n-nodes-browser-agent.browserAgent';

interface NodeOptions extends RunOptions {
	/** Of the node itself, such as `retryOnFail`. */
	settings?: Partial<INode>;
}

/** The package as this n8n has loaded it, and an account of the sandbox for its jobs. */
export class Subject {
	readonly admin: AdminClient;

	constructor(
		readonly classes: LoadedPackage,
		private readonly url: string,
		private readonly apiKey: string,
	) {
		this.admin = new AdminClient(url);
	}

	/** The same with another API key. Accounts don't share a rate limit. */
	withKey(apiKey: string): Subject {
		return new Subject(this.classes, this.url, apiKey);
	}

	/** Runs the action node to its end, as the only node of a workflow. */
	async run(parameters: INodeParameters, options?: NodeOptions) {
		const run = await this.start(parameters, options).finished;
		const task = run.data.resultData.runData[NODE_NAME]?.at(-1);
		return { items: task?.data?.main?.[0] ?? [], error: task?.error, task, run };
	}

	/** The same, for a run that is to be stopped. */
	start(parameters: INodeParameters, { settings, ...options }: NodeOptions = {}): Execution {
		const nodes = [createNode(NODE_NAME, AGENT_TYPE, { parameters, ...settings })];
		const parts = this.parts({ [AGENT_TYPE]: this.classes.agent });
		return execute({ nodes, connections: {} }, parts, { ...options, startNode: NODE_NAME });
	}

	parts(nodeTypes: Record<string, INodeType>): EngineParts {
		const data = { baseUrl: this.url, apiKey: this.apiKey };
		const type = this.classes.credential;
		return { nodeTypes, credentials: { browserAgentApi: { type, data } } };
	}
}
