import type { INode, INodeParameters } from 'n8n-workflow';

import { createNode, type EngineParts } from '../../engine/engine';
import { KEY } from '../Bench';
import { loadBundle, loadNodes, type NodeOptions } from './loadNodes';
import { minimalApi, minimalDownload, minimalGet } from './minimalNodes';

const MINIMAL = { minimalGet, minimalDownload };

type NodeType = 'browserAgent' | 'browserAgentTrigger' | keyof typeof MINIMAL;

/** Our nodes and minimal ones, with credentials for the service at `url`. */
export function engineParts(url: string, options: NodeOptions = {}): EngineParts {
	const { BrowserAgentApi } = loadBundle();
	const { agent, trigger } = loadNodes(options);
	const service = { baseUrl: url, apiKey: KEY };
	return {
		nodeTypes: { browserAgent: agent, browserAgentTrigger: trigger, ...MINIMAL },
		credentials: {
			browserAgentApi: { type: new BrowserAgentApi(), data: service },
			minimalApi: { type: minimalApi, data: service },
		},
	};
}

/** A node of one of these types, with both credentials. */
export function nodeOf(type: NodeType, parameters: INodeParameters): INode {
	const both = ['browserAgentApi', 'minimalApi'];
	const credentials = Object.fromEntries(both.map((id) => [id, { id, name: id }]));
	return createNode(type, type, { parameters, credentials });
}
