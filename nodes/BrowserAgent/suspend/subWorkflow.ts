import { NodeConnectionTypes, type INode, type IWorkflowBase } from 'n8n-workflow';

/** Which part of a durable wait a node of the sub-workflow plays. */
export type DurableStep = 'look' | 'finish';

const START = 'Start';
const WAIT = 'Wait';
const LOOK = 'Look at the jobs';
const DONE = 'All finished?';
const FINISH = 'Finish';

/**
 * The workflow that holds a wait: n8n's Wait node, a look at the jobs, and back until all are
 * finished. n8n keeps it in its database meanwhile, and hands what its last node gives to the
 * execution that waits for it. It runs with the credential of `node`.
 */
export function createSubWorkflow(node: INode, goesOn: boolean): IWorkflowBase {
	const step = (name: string, durableStep: DurableStep, x: number): INode => ({
		id: name,
		name,
		type: node.type,
		typeVersion: node.typeVersion,
		position: [x, 0],
		parameters: { resource: 'job', operation: 'wait', durableStep },
		credentials: node.credentials,
		// The items say themselves what went wrong; n8n sorts them where the waiting node stands.
		...(goesOn && durableStep === 'finish' ? { onError: 'continueRegularOutput' as const } : {}),
	});

	return {
		// n8n fills in the one of the waiting workflow, under which it lists the execution.
		id: '',
		name: 'Browser Agent: wait for jobs',
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
		nodes: [
			{
				id: START,
				name: START,
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				position: [0, 0],
				parameters: { inputSource: 'passthrough' },
			},
			{
				id: WAIT,
				name: WAIT,
				type: 'n8n-nodes-base.wait',
				typeVersion: 1.1,
				position: [200, 0],
				webhookId: `browser-agent-${node.id}`,
				parameters: {
					resume: 'timeInterval',
					amount: '={{ $json.waitSeconds }}',
					unit: 'seconds',
				},
			},
			step(LOOK, 'look', 400),
			{
				id: DONE,
				name: DONE,
				type: 'n8n-nodes-base.if',
				typeVersion: 2.2,
				position: [600, 0],
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
			step(FINISH, 'finish', 800),
		],
		connections: {
			[START]: { main: [[to(WAIT)]] },
			[WAIT]: { main: [[to(LOOK)]] },
			[LOOK]: { main: [[to(DONE)]] },
			[DONE]: { main: [[to(FINISH)], [to(WAIT)]] },
		},
		// Its own, so that the waiting workflow's error workflow is called once, not twice. Files that
		// it has fetched are stored with it.
		settings: {
			executionOrder: 'v1',
			saveDataSuccessExecution: 'all',
			saveDataErrorExecution: 'all',
			saveManualExecutions: true,
		},
	};
}

function to(node: string) {
	return { node, type: NodeConnectionTypes.Main, index: 0 };
}
