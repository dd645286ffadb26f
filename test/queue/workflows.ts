import type { WorkflowFile } from '../../host/contents';

const CREDENTIALS = { browserAgentApi: { id: 'browserAgentApi', name: 'Browser Agent API' } };
const TABLE = 'started_jobs';
const WAIT_OPTIONS = { maxWaitMinutes: 10, pauseWhenAbandoned: true };

/** What is particular to a node; the rest follows from its place in the row. */
interface Node {
	name: string;
	type: string;
	typeVersion?: number;
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
	return withProgressSaved(workflow(id, [start(), wait()]));
}

/** Starts a job for the workflow that calls it, in an execution of its own. */
export function startOnly(id: string): WorkflowFile {
	const called: Node = {
		name: 'Called',
		type: 'n8n-nodes-base.executeWorkflowTrigger',
		typeVersion: 1.1,
		parameters: { inputSource: 'passthrough' },
	};
	return workflow(id, [start()], called);
}

/** Two nodes, the first in a sub-workflow; the job's ID goes into n8n's data table between them. */
export function rememberedStart(id: string, startId: string): WorkflowFile {
	const made = workflow(id, [
		{
			name: 'Start in a Sub-Workflow',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: {
				source: 'database',
				workflowId: { __rl: true, mode: 'id', value: startId },
				options: {},
			},
		},
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
		wait(),
	]);
	return withProgressSaved(made);
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

function withProgressSaved(made: WorkflowFile): WorkflowFile {
	return { ...made, settings: { executionOrder: 'v1', saveExecutionProgress: true } };
}

function start(): Node {
	return browserAgent('Start', {
		resource: 'agent',
		operation: 'run',
		directive: '={{ $json.body.directive }}',
		waitUntilFinished: false,
	});
}

function wait(): Node {
	return browserAgent('Wait', {
		resource: 'job',
		operation: 'wait',
		jobId: '={{ $json.job_id }}',
		options: WAIT_OPTIONS,
	});
}

function browserAgent(name: string, parameters: Record<string, unknown>): Node {
	return {
		name,
		type: 'n8n-nodes-browser-agent.browserAgent',
		parameters,
		credentials: CREDENTIALS,
	};
}

/** The nodes one after the other, behind a webhook that answers at once or another trigger. */
function workflow(id: string, nodes: Node[], trigger = webhook(id)): WorkflowFile {
	const all = [trigger, ...nodes].map((node, index) => ({
		typeVersion: 1,
		...node,
		id: `${id}-${index}`,
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

function webhook(path: string): Node {
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
	};
}
