import type { ICredentialType, INode, INodeParameters, INodeType } from 'n8n-workflow';
import path from 'node:path';

import type { EngineParts } from '../../engine/engine';
import { KEY } from '../key';
import { loadBundle, loadNodes, type NodeOptions } from './loadNodes';
import { minimalApi, minimalDownload, minimalGet, waitItemByItem } from './minimalNodes';

export { KEY };

/** The node types that a case may use. */
export type NodeType = 'browserAgent' | keyof typeof N8N_NODES | keyof typeof MINIMAL;

const MINIMAL = { minimalGet, minimalDownload, waitItemByItem };

const N8N_NODES = {
	'n8n-nodes-base.httpRequest': 'HttpRequest/HttpRequest.node.js',
	'n8n-nodes-base.wait': 'Wait/Wait.node.js',
	'n8n-nodes-base.if': 'If/If.node.js',
};

const VERSIONS: Partial<Record<NodeType, number>> = {
	'n8n-nodes-base.httpRequest': 4.5,
	'n8n-nodes-base.wait': 1.1,
	'n8n-nodes-base.if': 2.2,
};

/** Our node, n8n's own and minimal ones, with credentials for the service at `url`. */
export function engineParts(url: string, options: NodeOptions = {}): EngineParts {
	const { BrowserAgentApi } = loadBundle();
	const hostNodes = process.env.BENCH_HAS_N8N === undefined ? {} : loadN8nNodes();
	const service = { baseUrl: url, apiKey: KEY };
	return {
		nodeTypes: { browserAgent: loadNodes(options).agent, ...MINIMAL, ...hostNodes },
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
export function nodeOf(type: NodeType, parameters: INodeParameters, name: string = type): INode {
	const all = ['browserAgentApi', 'minimalApi', 'httpBearerAuth'];
	return {
		id: name,
		name,
		type,
		typeVersion: VERSIONS[type] ?? 1,
		position: [0, 0],
		parameters,
		credentials: Object.fromEntries(all.map((id) => [id, { id, name: id }])),
	};
}

/** The parameters that each HTTP Request node needs for the service. */
export function signedRequest(parameters: INodeParameters): INodeParameters {
	return {
		authentication: 'genericCredentialType',
		genericAuthType: 'httpBearerAuth',
		options: {},
		...parameters,
	};
}

function loadN8nNodes(): Record<string, INodeType> {
	return Object.fromEntries(
		Object.entries(N8N_NODES).map(([name, file]) => {
			// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n may not be installed
			const loaded = require(`n8n-nodes-base/dist/nodes/${file}`) as Record<
				string,
				new () => INodeType
			>;
			const Class = loaded[path.basename(file).split('.')[0] ?? ''];
			if (Class === undefined) throw new Error(`${file} exports no node`);
			return [name, new Class()];
		}),
	);
}
