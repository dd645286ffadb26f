import type { ICredentialType, INode, INodeParameters, INodeType } from 'n8n-workflow';

import type { EngineParts } from '../../engine/engine';
import { KEY } from '../key';
import { loadBundle, loadNodes, type NodeOptions } from './loadNodes';
import { minimalApi, minimalDownload, minimalGet } from './minimalNodes';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const HTTP_REQUEST_VERSION = 4.5;
const MINIMAL = { minimalGet, minimalDownload };

/** The node types that a case may use. */
export type NodeType = 'browserAgent' | typeof HTTP_REQUEST | keyof typeof MINIMAL;

/** Our node, n8n's HTTP Request and minimal ones, with credentials for the service at `url`. */
export function engineParts(url: string, options: NodeOptions = {}): EngineParts {
	const { BrowserAgentApi } = loadBundle();
	const service = { baseUrl: url, apiKey: KEY };
	return {
		nodeTypes: { browserAgent: loadNodes(options).agent, ...MINIMAL, ...loadN8nNode() },
		credentials: {
			browserAgentApi: { type: new BrowserAgentApi(), data: service },
			minimalApi: { type: minimalApi, data: service },
			httpBearerAuth: {
				type: { name: 'httpBearerAuth', displayName: '', properties: [] } as ICredentialType,
				data: { token: KEY },
			},
		},
	};
}

/** A node of one of these types, with all credentials. */
export function nodeOf(type: NodeType, parameters: INodeParameters): INode {
	const all = ['browserAgentApi', 'minimalApi', 'httpBearerAuth'];
	return {
		id: type,
		name: type,
		type,
		typeVersion: type === HTTP_REQUEST ? HTTP_REQUEST_VERSION : 1,
		position: [0, 0],
		parameters,
		credentials: Object.fromEntries(all.map((id) => [id, { id, name: id }])),
	};
}

function loadN8nNode(): Record<string, INodeType> {
	if (process.env.BENCH_HAS_N8N === undefined) return {};
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n may not be installed
	const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js') as {
		HttpRequest: new () => INodeType;
	};
	return { [HTTP_REQUEST]: new HttpRequest() };
}
