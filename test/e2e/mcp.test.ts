import type { WorkflowFile } from '../../dev/n8n/examples';
import { PACKAGE_NAME } from '../../nodes/package';
import { McpClient } from './support/mcpClient';
import {
	callEveryOperation,
	fromAi,
	OPERATION_TOOLS,
	operationTool,
	SUCCESSFUL_ANSWERS,
} from './support/operationTools';
import { useToolEnvironment } from './support/useToolEnvironment';
import { waitFor } from './support/waitFor';
import { aWorkflow, browserAgent } from './support/workflowFile';

const RUN = operationTool('Run Agent', 'agent: run', {
	directive: fromAi('directive'),
});
const TOOLS = [...OPERATION_TOOLS, RUN];

/** An MCP server with all tools. */
function mcpServer(id: string): WorkflowFile {
	const trigger = {
		name: 'MCP Server Trigger',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion: 2,
		webhookId: id,
		parameters: { path: id },
	};
	const nodes = TOOLS.map(({ name, parameters }) => ({
		...browserAgent(name, parameters),
		type: `${PACKAGE_NAME}.browserAgentTool`,
	}));
	const toTrigger = { ai_tool: [[{ node: trigger.name, type: 'ai_tool', index: 0 }]] };
	const connections = Object.fromEntries(nodes.map(({ name }) => [name, toTrigger]));
	return { ...aWorkflow(id, trigger, ...nodes), connections };
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

const firstJob = async () => (await environment.admin.jobs())[0]?.job_id ?? 'no job';

/** How many calls n8n has answered, those among them whose client had given up. */
const answeredCalls = async () => (await environment.api.listExecutions('browser')).length;

describe('Browser Agent as a tool of the MCP Server Trigger', () => {
	it('offers each tool', async () => {
		const names = await client.toolNames();

		expect(names.sort()).toEqual(TOOLS.map(({ toolName }) => toolName).sort());
	});

	it('carries out each operation', async () => {
		const { admin } = environment;
		await admin.nextJob({ match: 'price list', durationSeconds: 600 });

		const answers = await callEveryOperation(
			async (name, input) => await client.call(name, input),
			async () => await admin.advance(600),
		);

		expect(answers).toEqual(SUCCESSFUL_ANSWERS);
	});

	it('shares the job with a client that gave up and calls again while it runs', async () => {
		const input = { directive: 'Find the cheapest desk lamp' };
		await environment.admin.nextJob({ durationSeconds: 5 });

		await expect(client.call('Run_Agent', input, 2_000)).rejects.toThrow('timed out');
		const answer = await client.call('Run_Agent', input);

		expect(answer).toContain(await firstJob());
		expect(answer).toContain('completed');
		expect(await environment.starts()).toBe(1);
	});

	it('gives the result of a job to a client that gave up after its 60 s', async () => {
		const input = { directive: 'Compare all desk lamps' };
		const callsBefore = await answeredCalls();
		await environment.admin.nextJob({ durationSeconds: 62 });

		await expect(client.call('Run_Agent', input)).rejects.toThrow('timed out');
		await waitFor(async () => (await answeredCalls()) > callsBefore, 30_000);
		const answer = await client.call('Run_Agent', input);

		expect(answer).toContain(await firstJob());
		expect(answer).toContain('completed');
		expect(await environment.starts()).toBe(1);
	});

	it('refuses an equal call after an unclear start', async () => {
		const input = { directive: 'Order the cheapest desk lamp' };

		await environment.refusesAfterUnclearStart(async () => [
			await client.call('Run_Agent', input),
			await client.call('Run_Agent', input),
		]);
	});
});
