import type { WorkflowFile } from '../../dev/n8n/examples';
import { PACKAGE_NAME } from '../../nodes/package';
import { McpClient } from './support/mcpClient';
import { fromAi } from './support/operationTools';
import { useToolEnvironment } from './support/useToolEnvironment';
import { aWorkflow, browserAgent } from './support/workflowFile';

/** An MCP server with a tool that runs an agent. */
function mcpServer(id: string): WorkflowFile {
	const trigger = {
		name: 'MCP Server Trigger',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion: 2,
		webhookId: id,
		parameters: { path: id },
	};
	const parameters = { resource: 'agent', operation: 'run', directive: fromAi('directive') };
	const tool = {
		...browserAgent('Run Agent', parameters),
		type: `${PACKAGE_NAME}.browserAgentTool`,
	};
	const toTrigger = { ai_tool: [[{ node: trigger.name, type: 'ai_tool', index: 0 }]] };
	return { ...aWorkflow(id, trigger, tool), connections: { [tool.name]: toTrigger } };
}

let client: McpClient;

// Registered first, so that it runs before n8n is stopped.
afterAll(async () => {
	await client?.close();
});

const environment = useToolEnvironment({ workflows: [mcpServer('browser')], publish: ['browser'] });

beforeAll(async () => {
	client = await McpClient.connect(environment.n8n, 'browser');
});

it('a tool of the MCP Server Trigger shares the job with a client that gave up and calls again', async () => {
	const input = { directive: 'Find the cheapest desk lamp' };
	await environment.admin.nextJob({ durationSeconds: 5 });

	await expect(client.call('Run_Agent', input, 2_000)).rejects.toThrow('timed out');
	const answer = await client.call('Run_Agent', input);

	const [job] = await environment.admin.jobs();
	expect(answer).toContain(String(job?.job_id));
	expect(answer).toContain('completed');
	expect(await environment.starts()).toBe(1);
});
