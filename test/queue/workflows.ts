import type { WorkflowFile } from '../../host/contents';

const CREDENTIALS = { browserAgentApi: { id: 'browserAgentApi', name: 'Browser Agent API' } };
const TABLE = 'started_jobs';
const WAIT_OPTIONS = { maxWaitMinutes: 10, pauseWhenAbandoned: true };

/** What is particular to a node; the rest follows from its place in the row. */
interface Node {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: typeof CREDENTIALS;
	webhookId?: string;
	alwaysOutputData?: boolean;
}

/** Starts a job and waits for it in one node, for every call of its webhook. */
export function oneNode(id: string): WorkflowFile {
	return workflow(id, [
		browserAgent('Run', {
			resource: 'agent',
			operation: 'run',
			directive: '={{ $json.body.directive }}',
			waitUntilFinished: true,
			options: WAIT_OPTIONS,
		}),
	]);
}

/** Starts in one node and waits in the next, and n8n stores what each node gave out. */
export function twoNodes(id: string): WorkflowFile {
	return {
		...workflow(id, [
			browserAgent('Start', {
				resource: 'agent',
				operation: 'run',
				directive: '={{ $json.body.directive }}',
				waitUntilFinished: false,
			}),
			browserAgent('Wait', {
				resource: 'job',
				operation: 'wait',
				jobId: '={{ $json.job_id }}',
				options: WAIT_OPTIONS,
			}),
		]),
		settings: { executionOrder: 'v1', saveExecutionProgress: true },
	};
}

/** Starts, writes the job's ID into n8n's data table, and waits in the node after that. */
export function rememberedStart(id: string): WorkflowFile {
	return workflow(id, [
		browserAgent('Start', {
			resource: 'agent',
			operation: 'run',
			directive: '={{ $json.body.directive }}',
			waitUntilFinished: false,
		}),
		{
			name: 'Remember',
			type: 'n8n-nodes-base.dataTable',
			parameters: {
				resource: 'row',
				operation: 'insert',
				dataTableId: { __rl: true, mode: 'name', value: TABLE },
				columns: {
					mappingMode: 'defineBelow',
					value: { job_id: '={{ $json.job_id }}' },
					matchingColumns: [],
					schema: [
						{
							id: 'job_id',
							displayName: 'job_id',
							required: false,
							defaultMatch: false,
							display: true,
							type: 'string',
							canBeUsedToMatch: true,
						},
					],
				},
				options: {},
			},
		},
		browserAgent('Wait', {
			resource: 'job',
			operation: 'wait',
			jobId: "={{ $('Start').item.json.job_id }}",
			options: WAIT_OPTIONS,
		}),
	]);
}

/** Makes the data table, or leaves it as it is, and answers with its rows. */
export function readTable(id: string): WorkflowFile {
	const made = workflow(id, [
		{
			name: 'Table',
			type: 'n8n-nodes-base.dataTable',
			parameters: {
				resource: 'table',
				operation: 'create',
				tableName: TABLE,
				columns: { column: [{ name: 'job_id', type: 'string' }] },
				options: { createIfNotExists: true },
			},
		},
		{
			name: 'Rows',
			type: 'n8n-nodes-base.dataTable',
			parameters: {
				resource: 'row',
				operation: 'get',
				dataTableId: { __rl: true, mode: 'name', value: TABLE },
				returnAll: true,
			},
			alwaysOutputData: true,
		},
	]);
	const [webhook] = made.nodes;
	Object.assign(webhook?.parameters ?? {}, {
		responseMode: 'lastNode',
		responseData: 'allEntries',
	});
	return made;
}

function browserAgent(name: string, parameters: Record<string, unknown>): Node {
	return {
		name,
		type: 'n8n-nodes-browser-agent.browserAgent',
		parameters,
		credentials: CREDENTIALS,
	};
}

/** The nodes one after the other, behind a webhook that answers at once. */
function workflow(id: string, nodes: Node[]): WorkflowFile {
	const webhook: Node = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		webhookId: id,
		parameters: { httpMethod: 'POST', path: id, responseMode: 'onReceived', options: {} },
	};
	const all = [webhook, ...nodes].map((node, index) => ({
		...node,
		id: `${id}-${index}`,
		typeVersion: index === 0 ? 2 : 1,
		position: [index * 220, 0] as [number, number],
	}));
	const connections = Object.fromEntries(
		all
			.slice(1)
			.map(({ name }, index) => [
				all[index]?.name,
				{ main: [[{ node: name, type: 'main', index: 0 }]] },
			]),
	);
	return { id, name: id, nodes: all, connections, settings: { executionOrder: 'v1' } };
}
