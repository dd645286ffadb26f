import type { Editor } from './Editor';
import type { TestEnvironment } from './startTestEnvironment';
import { waitFor } from './waitFor';

const POLLED_TIMEOUT_MS = 60_000;

/**
 * Runs a workflow in the editor and clicks Stop once its job, which never finishes, has been
 * polled. Returns the IDs of the job and of the execution, which has ended.
 */
export async function stopWhileWaiting(
	editor: Editor,
	{ api, sandbox }: TestEnvironment,
	workflowId: string,
): Promise<{ jobId: string; executionId: string }> {
	const { admin } = sandbox;
	const { length: known } = await admin.jobs();
	await admin.nextJob({ statuses: ['running'] });
	await editor.openWorkflow(workflowId);
	await editor.runWorkflow();
	const newJob = async () => (await admin.jobs())[known];
	await waitFor(async () => ((await newJob())?.polls ?? 0) > 0, POLLED_TIMEOUT_MS);

	await editor.stopExecution();
	const [execution] = await api.listExecutions(workflowId);
	const executionId = execution?.id ?? '';
	await api.waitForExecution(executionId);
	return { jobId: (await newJob())?.job_id ?? '', executionId };
}
