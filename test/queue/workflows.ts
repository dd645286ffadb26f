import type { WorkflowFile } from '../../dev/n8n/examples';
import { aWorkflow, browserAgent, webhook, type WorkflowNode } from '../e2e/support/workflowFile';

const TABLE = 'started_jobs';
const WAIT_OPTIONS = { maxWaitMinutes: 10, pauseJob: 'onEarlyEnd' };

// The caller does not wait for the result.
const ON_RECEIVED = { responseMode: 'onReceived' } as const;

/** Starts a job and waits for it in one node, for every call of its webhook. */
export function oneNode(id: string): WorkflowFile {
	return aWorkflow(
		id,
		webhook(id, ON_RECEIVED),
		browserAgent('Run', {
			resource: 'agent',
			operation: 'run',
			directive: '={{ $json.body.directive }}',
			waitUntilFinished: true,
			options: WAIT_OPTIONS,
		}),
	);
}

/** Starts in one node and waits in the next, and n8n stores each node's output. */
export function twoNodes(id: string): WorkflowFile {
	return withProgressSaved(aWorkflow(id, webhook(id, ON_RECEIVED), start(), wait()));
}

/** Starts a job for the workflow that calls it, in an execution of its own. */
export function startOnly(id: string): WorkflowFile {
	const called: WorkflowNode = {
		name: 'Called',
		type: 'n8n-nodes-base.executeWorkflowTrigger',
		typeVersion: 1.1,
		parameters: { inputSource: 'passthrough' },
	};
	return aWorkflow(id, called, start());
}

/** Two nodes, the first in a sub-workflow; between them the job ID is written to a data table. */
export function recordedStart(id: string, startId: string): WorkflowFile {
	const workflow = aWorkflow(
		id,
		webhook(id, ON_RECEIVED),
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
			name: 'Record Job ID',
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
	);
	return withProgressSaved(workflow);
}

/** Creates the data table if it does not exist, and answers with its rows. */
export function readTable(id: string): WorkflowFile {
	return aWorkflow(
		id,
		webhook(id, { responseMode: 'lastNode', responseData: 'allEntries' }),
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
	);
}

function withProgressSaved(workflow: WorkflowFile): WorkflowFile {
	return { ...workflow, settings: { ...workflow.settings, saveExecutionProgress: true } };
}

function start(): WorkflowNode {
	return browserAgent('Start', {
		resource: 'agent',
		operation: 'run',
		directive: '={{ $json.body.directive }}',
		waitUntilFinished: false,
	});
}

function wait(): WorkflowNode {
	return browserAgent('Wait', {
		resource: 'job',
		operation: 'wait',
		jobId: '={{ $json.job_id }}',
		options: WAIT_OPTIONS,
	});
}
