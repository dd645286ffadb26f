import { AgentChat } from './support/agentChat';
import { startChatModel, type ChatModel } from './support/chatModel';
import {
	callEveryOperation,
	fromAi,
	OPERATION_TOOLS,
	operationTool,
	SUCCESSFUL_ANSWERS,
} from './support/operationTools';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';

const RUN = operationTool('Run Agent', 'agent: run', {
	directive: fromAi('directive'),
	options: { maxWaitMinutes: 0.02 },
});

let environment: TestEnvironment;
let model: ChatModel;
let agent: AgentChat;

beforeAll(async () => {
	model = await startChatModel();
	environment = await startTestEnvironment({
		workflows: () => [],
		credentials: () => [
			{
				id: 'deepSeekApi',
				name: 'DeepSeek account',
				type: 'deepSeekApi',
				data: { apiKey: 'any-key', url: model.url },
			},
		],
		sandbox: { defaultJobSeconds: 1, limits: 'off' },
	});
	agent = await AgentChat.create(environment.api, [...OPERATION_TOOLS, RUN]);
});

afterAll(async () => {
	await environment?.stop();
	await model?.close();
});

beforeEach(async () => {
	await environment.sandbox.admin.reset();
});

const starts = async () => (await environment.sandbox.admin.counters()).starts;

/** What the model reads of a tool's call, in a new conversation with the agent. */
async function call(toolName: string, input: Record<string, unknown> = {}): Promise<string> {
	model.play([{ named: toolName, callTool: input }, { answer: 'Done.' }]);
	const events = await agent.send(`Use ${toolName}`);
	const [result] = model.toolResults();
	if (result === undefined) throw new Error(`${toolName} was not called: ${events}`);
	return result;
}

describe("Browser Agent as a tool of n8n's own agents", () => {
	it('carries out each operation', async () => {
		const { admin } = environment.sandbox;
		await admin.nextJob({ match: 'price list', durationSeconds: 600 });

		const answers = await callEveryOperation(call, async () => await admin.advance(600));

		expect(answers).toEqual(SUCCESSFUL_ANSWERS);
	});

	it('continues with the same job when an equal call follows a timeout', async () => {
		const { admin } = environment.sandbox;
		const input = { directive: 'Find the cheapest desk lamp' };
		await admin.nextJob({ durationSeconds: 240 });

		const timeout = await call('Run_Agent', input);
		await admin.advance(240);
		const result = await call('Run_Agent', input);

		const [job] = await admin.jobs();
		expect(timeout).toContain(job?.job_id);
		expect(timeout).not.toContain('completed');
		expect(result).toContain('completed');
		expect(await starts()).toBe(1);
	});

	it('refuses an equal call after an unclear start', async () => {
		const input = { directive: 'Order the cheapest desk lamp' };
		const { admin } = environment.sandbox;
		await admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' });

		const first = await call('Run_Agent', input);
		const second = await call('Run_Agent', input);

		expect(first).toContain('It is unclear whether a job was started');
		expect(second).toContain('The job was not started again');
		expect(await starts()).toBe(1);
	});
});
