import type { RunBrowserAgentRequest, StartRequest } from './types';

/** Returns the request that runs an agent. */
export function toAgentStart(request: RunBrowserAgentRequest): StartRequest {
	return { path: '/v1/run_browser_agent', body: request };
}

/** Returns the request that runs a saved workflow. Without a payload its body is `{}`. */
export function toWorkflowStart(workflowId: string, payload: string | undefined): StartRequest {
	return {
		path: `/workflows/run-with-payload/${encodeURIComponent(workflowId)}`,
		body: payload === undefined ? {} : { payload },
	};
}
