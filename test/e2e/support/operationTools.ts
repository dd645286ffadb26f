/** A Browser Agent node that is a tool of an AI, for one operation. */
export interface OperationTool {
	/** The node's name. */
	name: string;
	/** The name by which an AI calls it. */
	toolName: string;
	parameters: Record<string, unknown>;
}

/** Fills a parameter with what the AI says. */
export function fromAi(key: string): string {
	return `={{ $fromAI('${key}', 'The ${key}', 'string') }}`;
}

/** A tool for an operation such as `job: wait`. */
export function operationTool(
	name: string,
	operation: string,
	parameters: Record<string, unknown> = {},
): OperationTool {
	const [resource, operationName] = operation.split(': ');
	return {
		name,
		toolName: name.replaceAll(' ', '_'),
		parameters: { resource, operation: operationName, ...parameters },
	};
}

const jobId = fromAi('jobId');

/** A tool for each operation of the node. The one that starts an agent does not wait. */
export const OPERATION_TOOLS: OperationTool[] = [
	operationTool('Start Agent', 'agent: run', {
		directive: fromAi('directive'),
		waitUntilFinished: false,
	}),
	operationTool('Run Saved Workflow', 'workflow: run', { workflowId: fromAi('workflowId') }),
	operationTool('Wait for Job', 'job: wait', { jobId }),
	operationTool('Get Job', 'job: get', { jobId }),
	operationTool('Pause Job', 'job: pause', { jobId }),
	operationTool('Resume Job', 'job: resume', { jobId }),
	operationTool('Download Files', 'jobFile: download', { jobId }),
	operationTool('List Files', 'jobFile: getAll', { jobId }),
	operationTool('Get Credit Balance', 'account: getCreditBalance'),
	operationTool('Get Health', 'service: getHealth'),
];

/** Calls a tool by name; returns what the AI reads. */
export type CallTool = (toolName: string, input?: Record<string, unknown>) => Promise<string>;

/** What the answers of `callEveryOperation` are, in any setting, if all operations succeed. */
export const SUCCESSFUL_ANSWERS = {
	Get_Health: expect.stringContaining('"healthy":true') as string,
	Get_Credit_Balance: expect.stringContaining('"credit_balance":10000') as string,
	Start_Agent: expect.stringContaining('"is_finished":false') as string,
	Get_Job: expect.stringContaining('"status":"running"') as string,
	Pause_Job: expect.stringContaining('is paused') as string,
	Resume_Job: expect.stringContaining('is resumed') as string,
	Wait_for_Job: expect.stringContaining('"status":"completed"') as string,
	List_Files: expect.stringContaining('"download_url"') as string,
	Download_Files: expect.stringContaining('"size_bytes"') as string,
	Run_Saved_Workflow: expect.stringContaining('"status":"completed"') as string,
};

/**
 * Calls every operation once, in an order in which all succeed. Returns the answers by tool name.
 * The job of the tool `Start_Agent` must run until it is finished by `finishJob`.
 */
export async function callEveryOperation(
	call: CallTool,
	finishJob: () => Promise<unknown>,
): Promise<Record<string, string>> {
	const answers: Record<string, string> = {};
	const callAndKeep = async (toolName: string, input: Record<string, unknown> = {}) =>
		(answers[toolName] = await call(toolName, input));

	await callAndKeep('Get_Health');
	await callAndKeep('Get_Credit_Balance');
	const started = await callAndKeep('Start_Agent', { directive: 'Save the price list as PDF' });
	const job = { jobId: /"job_id":"([^"]+)"/.exec(started)?.[1] };
	await callAndKeep('Get_Job', job);
	await callAndKeep('Pause_Job', job);
	await callAndKeep('Resume_Job', job);
	await finishJob();
	await callAndKeep('Wait_for_Job', job);
	await callAndKeep('List_Files', job);
	await callAndKeep('Download_Files', job);
	await callAndKeep('Run_Saved_Workflow', { workflowId: 'wf_daily_report' });
	return answers;
}
