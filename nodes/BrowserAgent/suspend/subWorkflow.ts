import type { INode, IWorkflowBase } from 'n8n-workflow';

import { MAIN } from '../../mainConnection';

/** The value of the node's hidden parameter in the sub-workflow. */
export const SUSPEND_STEP = 'poll';

/** The name of our node there. */
export const CHECK = 'Check Job Status';
const WAIT = 'Wait for the Next Check';
const DONE = 'All Jobs Finished?';

const MAX_JOBS_IN_NAME = 3;

/**
 * Creates the workflow that holds suspended waits: n8n's Wait node and a round of our node, again
 * and again until all waits are over. Then our node's output is that of the suspended node: results
 * leave n8n's If node by its first output, and n8n passes the first output of the last node to the
 * suspended execution. `now`: a timestamp in ms.
 */
export function createSubWorkflow(node: INode, jobIds: string[], now: number): IWorkflowBase {
	const title = toTitle(jobIds);
	const createdAt = new Date(now);
	// The node's own Retry On Fail doesn't reach the sub-workflow, so the check gets its settings.
	const { credentials, retryOnFail, maxTries, waitBetweenTries } = node;
	const nodes: INode[] = [
		// The list of executions shows the suspended workflow's name, so the canvas says what this is.
		{
			...toNode(title, 'n8n-nodes-base.executeWorkflowTrigger', 1.1),
			parameters: { inputSource: 'passthrough' },
		},
		{
			...toNode(WAIT, 'n8n-nodes-base.wait', 1.1),
			webhookId: `browser-agent-${node.id}`,
			parameters: { resume: 'timeInterval', amount: '={{ $json.waitSeconds }}', unit: 'seconds' },
		},
		{
			...toNode(CHECK, node.type, node.typeVersion),
			parameters: { resource: 'job', operation: 'wait', suspendStep: SUSPEND_STEP },
			// `onError` is not copied: items carry their own errors, and an error that ends a round must
			// end the sub-workflow.
			credentials,
			retryOnFail,
			maxTries,
			waitBetweenTries,
		},
		{
			...toNode(DONE, 'n8n-nodes-base.if', 2.2),
			parameters: {
				conditions: {
					options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
					conditions: [
						{
							id: DONE,
							leftValue: '={{ $json.waitSeconds === undefined }}',
							rightValue: '',
							operator: { type: 'boolean', operation: 'true', singleValue: true },
						},
					],
					combinator: 'and',
				},
				options: {},
			},
		},
	];

	return {
		// n8n fills in the ID of the suspended workflow, and lists the inner execution under it.
		id: '',
		name: title,
		active: false,
		isArchived: false,
		createdAt,
		updatedAt: createdAt,
		activeVersionId: null,
		nodes: nodes.map((one, index): INode => ({ ...one, position: [index * 200, 0] })),
		connections: {
			[title]: { main: [[connectionTo(WAIT)]] },
			[WAIT]: { main: [[connectionTo(CHECK)]] },
			[CHECK]: { main: [[connectionTo(DONE)]] },
			[DONE]: { main: [[], [connectionTo(WAIT)]] },
		},
		// Without the suspended workflow's settings: its error workflow must be called only once, and
		// no timeout or caller policy may end the sub-workflow. The sub-workflow's executions are
		// always saved: their data tells whether an execution is still waiting, and keeps the files
		// downloaded so far.
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

// The IDs come first, because n8n shows only the beginning of a long name.
function toTitle(jobIds: string[]): string {
	const named = jobIds.slice(0, MAX_JOBS_IN_NAME).join(', ');
	const more = jobIds.length - MAX_JOBS_IN_NAME;
	return `${named}${more > 0 ? ` and ${more} more` : ''}: Browser Agent is waiting`;
}

function toNode(name: string, type: string, typeVersion: number): INode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters: {} };
}

function connectionTo(node: string) {
	return { node, type: MAIN, index: 0 };
}
