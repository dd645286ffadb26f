import type { INode, IWorkflowBase } from 'n8n-workflow';

import { MAIN } from '../../parameters/mainConnection';

/** The steps of a suspended wait that our node does in the sub-workflow. */
export type SuspendStep = 'poll' | 'finish';

const WAIT = 'Wait for the Next Check';
const POLL = 'Check Job Status';
const DONE = 'All Jobs Finished?';
const FINISH = 'Return Results';

const MAX_JOBS_IN_NAME = 3;

/**
 * The workflow that holds a suspended wait: n8n's Wait node, a check of the jobs, and back until
 * all are finished. n8n passes the output of its last node to the suspended execution,
 * `executionId`.
 */
export function createSubWorkflow(
	node: INode,
	jobIds: string[],
	executionId: string,
): IWorkflowBase {
	const title = toTitle(jobIds);
	// The suspended node's own retries don't reach the sub-workflow.
	const { credentials, retryOnFail, maxTries, waitBetweenTries } = node;
	const step = (name: string, suspendStep: SuspendStep) => ({
		...toNode(name, node.type, node.typeVersion),
		parameters: { resource: 'job', operation: 'wait', suspendStep },
		// Without `onError`: the items contain their errors, and an error that ends a round must end
		// the sub-workflow.
		credentials,
		retryOnFail,
		maxTries,
		waitBetweenTries,
	});
	const nodes: INode[] = [
		// In its list, n8n shows the name of the suspended workflow: the canvas says what this is.
		{
			...toNode(title, 'n8n-nodes-base.executeWorkflowTrigger', 1.1),
			parameters: { inputSource: 'passthrough' },
		},
		{
			...toNode(WAIT, 'n8n-nodes-base.wait', 1.1),
			webhookId: `browser-agent-${node.id}`,
			parameters: { resume: 'timeInterval', amount: '={{ $json.waitSeconds }}', unit: 'seconds' },
		},
		step(POLL, 'poll'),
		{
			...toNode(DONE, 'n8n-nodes-base.if', 2.2),
			parameters: {
				conditions: {
					options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
					conditions: [
						{
							id: DONE,
							leftValue: '={{ $json.isDone }}',
							rightValue: '',
							operator: { type: 'boolean', operation: 'true', singleValue: true },
						},
					],
					combinator: 'and',
				},
				options: {},
			},
		},
		step(FINISH, 'finish'),
	];

	return {
		// n8n fills in the ID of the suspended workflow, and lists the execution under it.
		id: '',
		name: title,
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
		nodes: [
			...nodes.map((one, index): INode => ({ ...one, position: [index * 200, 0] })),
			toNote(node, executionId),
		],
		connections: {
			[title]: { main: [[to(WAIT)]] },
			[WAIT]: { main: [[to(POLL)]] },
			[POLL]: { main: [[to(DONE)]] },
			[DONE]: { main: [[to(FINISH)], [to(WAIT)]] },
		},
		// Settings of its own, so that the suspended workflow's error workflow is called only once,
		// n8n's time-outs and policies don't end it, what is stored tells whether it waits, and the
		// files that it has downloaded are stored with it.
		settings: {
			executionOrder: 'v1',
			executionTimeout: -1,
			callerPolicy: 'workflowsFromSameOwner',
			saveDataSuccessExecution: 'all',
			saveDataErrorExecution: 'all',
			saveExecutionProgress: false,
			saveManualExecutions: true,
		},
	};
}

// n8n shows the beginning of a node's name.
function toTitle(jobIds: string[]): string {
	const named = jobIds.slice(0, MAX_JOBS_IN_NAME).join(', ');
	const more = jobIds.length - MAX_JOBS_IN_NAME;
	return `${named}${more > 0 ? ` and ${more} more` : ''}: Browser Agent waits`;
}

/** For a user who opens the execution of the sub-workflow. */
function toNote({ name }: INode, executionId: string): INode {
	return {
		...toNode('Note', 'n8n-nodes-base.stickyNote', 1),
		position: [0, -180],
		parameters: {
			content: `This execution checks the jobs that node '${name}' in execution ${executionId} is waiting for. To stop waiting, stop execution ${executionId}, not this one.`,
			width: 880,
			height: 100,
		},
	};
}

function toNode(name: string, type: string, typeVersion: number): INode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters: {} };
}

function to(node: string) {
	return { node, type: MAIN, index: 0 };
}
