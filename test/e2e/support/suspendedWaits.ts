import type { N8nApi } from '../../../dev/n8n/N8nApi';
import type { WorkflowFile } from '../../../dev/n8n/examples';
import { callWebhook } from './callWebhook';
import { aWorkflow, browserAgent, webhook, type WorkflowNode } from './workflowFile';

/** A node that starts a workflow by hand. */
export const MANUAL: WorkflowNode = { type: 'n8n-nodes-base.manualTrigger', name: 'Start' };

/** A workflow that waits, suspended, for the job whose ID its webhook receives. */
export function waitForJob(id: string): WorkflowFile {
	const parameters = { resource: 'job', operation: 'wait', jobId: '={{ $json.body.job_id }}' };
	return aWorkflow(
		id,
		webhook(id, { responseMode: 'onReceived' }),
		suspendedWait('Wait for Job', parameters),
	);
}

/** A workflow that answers a call of its webhook with the body of the call. */
export function answer(id: string): WorkflowFile {
	const node = { type: 'n8n-nodes-base.noOp', name: 'Answer' };
	return aWorkflow(id, webhook(id, { responseMode: 'lastNode' }), node);
}

/** A Browser Agent node that suspends while it waits. */
export function suspendedWait(
	name: string,
	parameters: Record<string, unknown>,
	options: Record<string, unknown> = {},
): WorkflowNode {
	return browserAgent(name, { ...parameters, options: { suspendWhileWaiting: true, ...options } });
}

/** Starts an execution that waits, suspended, for each of these jobs. */
export async function startWaits(n8nUrl: string, jobIds: string[]): Promise<void> {
	await Promise.all(
		jobIds.map(async (jobId) => await callWebhook(n8nUrl, 'wait-for-job', { job_id: jobId })),
	);
}

/** How many ms the webhook of `answer` takes. It answers only once its execution gets a slot. */
export async function measureAnswer(n8nUrl: string): Promise<number> {
	const calledAt = Date.now();
	await callWebhook(n8nUrl, 'answer', { question: 'Is a slot free?' });
	return Date.now() - calledAt;
}

/** The number of a workflow's executions by status: its own, or those of its sub-workflows. */
export async function countStatuses(
	api: N8nApi,
	workflowId: string,
	which: 'itself' | 'sub-workflows' = 'itself',
): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const { status, mode } of await api.listExecutions(workflowId)) {
		const isWanted = (mode === 'integrated') === (which === 'sub-workflows');
		if (isWanted) counts[status] = (counts[status] ?? 0) + 1;
	}
	return counts;
}
