import type { RunBrowserAgentRequest } from './types';

/** A request that starts a job. */
export interface StartRequest {
	path: string;
	body: object;
}

/** Starts an agent. */
export function toAgentStart(request: RunBrowserAgentRequest): StartRequest {
	return { path: '/v1/run_browser_agent', body: request };
}

/** Starts a saved workflow; without a payload the body is `{}`. */
export function toWorkflowStart(workflowId: string, payload: string | undefined): StartRequest {
	return {
		path: `/workflows/run-with-payload/${encodeURIComponent(workflowId)}`,
		body: payload === undefined ? {} : { payload },
	};
}
