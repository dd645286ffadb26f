import type { N8nApi } from '../../../dev/n8n/N8nApi';
import type { WorkflowFile } from '../../../dev/n8n/examples';
import { callWebhook } from './callWebhook';
import { aWorkflow, browserAgent, webhook, type WorkflowNode } from './workflowFile';

export const MANUAL: WorkflowNode = { type: 'n8n-nodes-base.manualTrigger', name: 'Start' };

/** Waits for the job that its webhook is called with; n8n keeps the wait. */
export function waitForJob(id: string): WorkflowFile {
	const parameters = { resource: 'job', operation: 'wait', jobId: '={{ $json.body.job_id }}' };
	return aWorkflow(
		id,
		webhook(id, { responseMode: 'onReceived' }),
		keptWait('Wait for Job', parameters),
	);
}

/** Answers a call of its webhook with what it was called with, once it gets its turn. */
export function answer(id: string): WorkflowFile {
	const node = { type: 'n8n-nodes-base.noOp', name: 'Answer' };
	return aWorkflow(id, webhook(id, { responseMode: 'lastNode' }), node);
}

/** A Browser Agent node whose wait n8n keeps. */
export function keptWait(
	name: string,
	parameters: Record<string, unknown>,
	options: Record<string, unknown> = {},
): WorkflowNode {
	return browserAgent(name, { ...parameters, options: { durableWait: true, ...options } });
}

/**
 * Has n8n wait for each of these jobs, and returns how long it then takes to answer somebody else,
 * in ms. Executions that hold their slots would keep all others out.
 */
export async function answerAmidWaits(n8nUrl: string, jobIds: string[]): Promise<number> {
	await Promise.all(
		jobIds.map(async (jobId) => await callWebhook(n8nUrl, 'wait-for-job', { job_id: jobId })),
	);
	const askedAt = Date.now();
	await callWebhook(n8nUrl, 'answer', { question: 'Is there room?' });
	return Date.now() - askedAt;
}

/** How many of a workflow's executions have each status: itself, or the sub-workflows it called. */
export async function countStatuses(
	api: N8nApi,
	workflowId: string,
	which: 'itself' | 'sub-workflows' = 'itself',
): Promise<Record<string, number>> {
	const rows: Array<{ status: string; mode?: string }> = await api.listExecutions(workflowId);
	const counts: Record<string, number> = {};
	for (const { status, mode } of rows) {
		const isWanted = (mode === 'integrated') === (which === 'sub-workflows');
		if (isWanted) counts[status] = (counts[status] ?? 0) + 1;
	}
	return counts;
}
