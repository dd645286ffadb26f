import type { RunBrowserAgentRequest } from './types';

/** A request that starts a job. */
export interface StartRequest {
	path: string;
	body: object;
	/** What its job is an example of, for its likely duration: the task, then the operation. */
	kinds: readonly string[];
}

const MAX_TASK_CHARACTERS = 300;

/** Starts an agent. */
export function toAgentStart(request: RunBrowserAgentRequest): StartRequest {
	const task = request.directive.slice(0, MAX_TASK_CHARACTERS);
	return { path: '/v1/run_browser_agent', body: request, kinds: [`agent: ${task}`, 'agent'] };
}

/** Starts a saved workflow; without a payload the body is `{}`. */
export function toWorkflowStart(workflowId: string, payload: string | undefined): StartRequest {
	return {
		path: `/workflows/run-with-payload/${encodeURIComponent(workflowId)}`,
		body: payload === undefined ? {} : { payload },
		kinds: [`workflow: ${workflowId}`, 'workflow'],
	};
}
