import type { WorkflowFile } from '../../../dev/n8n/examples';

/** What is particular to a node; the rest follows from its place in the row. */
export type WorkflowNode = Partial<WorkflowFile['nodes'][number]> & { name: string };

/** When a webhook answers its caller, and with what. */
interface WebhookAnswer {
	responseMode: 'onReceived' | 'lastNode';
	responseData?: 'allEntries';
}

/** A workflow of these nodes, one after the other. */
export function aWorkflow(id: string, ...row: WorkflowNode[]): WorkflowFile {
	const nodes = row.map((node, index) => ({
		id: `${id}-${index}`,
		type: '',
		typeVersion: 1,
		position: [index * 220, 0] as [number, number],
		parameters: {},
		...node,
	}));
	const connections = Object.fromEntries(
		row
			.slice(1)
			.map(({ name }, index) => [
				row[index]?.name,
				{ main: [[{ node: name, type: 'main', index: 0 }]] },
			]),
	);
	return { id, name: id, nodes, connections, settings: { executionOrder: 'v1' } };
}

/** A Browser Agent node with the credential of the sandbox. */
export function browserAgent(name: string, parameters: Record<string, unknown>): WorkflowNode {
	return {
		name,
		type: 'n8n-nodes-browser-agent.browserAgent',
		parameters,
		credentials: { browserAgentApi: { id: 'browserAgentApi', name: 'Browser Agent API' } },
	};
}

/** A webhook that is called with POST. */
export function webhook(path: string, answer: WebhookAnswer): WorkflowNode {
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, ...answer, options: {} },
	};
}
