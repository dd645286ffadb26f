import type { WorkflowFile } from '../../../dev/n8n/examples';
import { PACKAGE_NAME } from '../../../nodes/package';

/** The properties of a node that differ from the defaults; the name is required. */
export type WorkflowNode = Partial<WorkflowFile['nodes'][number]> & { name: string };

/** When a webhook answers, and with what. */
interface WebhookAnswer {
	responseMode: 'onReceived' | 'lastNode';
	responseData?: 'allEntries';
}

/** A workflow of these nodes, connected one after the other. */
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

/** A Browser Agent node with the sandbox's credential. */
export function browserAgent(name: string, parameters: Record<string, unknown>): WorkflowNode {
	return {
		name,
		type: `${PACKAGE_NAME}.browserAgent`,
		parameters,
		credentials: { browserAgentApi: { id: 'browserAgentApi', name: 'Browser Agent API' } },
	};
}

/** A webhook for POST requests. */
export function webhook(path: string, answer: WebhookAnswer): WorkflowNode {
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, ...answer, options: {} },
	};
}
