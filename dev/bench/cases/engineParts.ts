import type { INode, INodeParameters } from 'n8n-workflow';

import { createNode, type EngineParts } from '../../engine/engine';
import { KEY } from '../Bench';
import { loadNodes } from './loadNodes';

const NODE_TYPE = 'browserAgent';
const CREDENTIAL = 'browserAgentApi';

/** The action node on a runtime of its own, with a credential for the service at `url`. */
export function engineParts(url: string): EngineParts {
	const { agent, credential } = loadNodes();
	return {
		nodeTypes: { [NODE_TYPE]: agent },
		credentials: { [CREDENTIAL]: { type: credential, data: { baseUrl: url, apiKey: KEY } } },
	};
}

/** The action node with these parameters. */
export function agentNode(parameters: INodeParameters): INode {
	const credentials = { [CREDENTIAL]: { id: CREDENTIAL, name: CREDENTIAL } };
	return createNode(NODE_TYPE, NODE_TYPE, { parameters, credentials });
}
