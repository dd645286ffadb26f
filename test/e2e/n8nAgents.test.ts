import { AgentChat } from './support/agentChat';
import {
	callEveryOperation,
	fromAi,
	OPERATION_TOOLS,
	operationTool,
	SUCCESSFUL_ANSWERS,
} from './support/operationTools';
import { SHORT_WAIT, useToolEnvironment, type CallTwice } from './support/useToolEnvironment';

const RUN = operationTool('Run Agent', 'agent: run', {
	directive: fromAi('directive'),
	options: SHORT_WAIT,
});

const environment = useToolEnvironment({ modelCredential: 'deepSeekApi' });
let agent: AgentChat;

beforeAll(async () => {
	agent = await AgentChat.create(environment.api, [...OPERATION_TOOLS, RUN]);
});

/** What the model reads of a tool's call, in a new conversation with the agent. */
async function call(toolName: string, input: Record<string, unknown> = {}): Promise<string> {
	const { model } = environment;
	model.play([{ named: toolName, callTool: input }, { answer: 'Done.' }]);
	const events = await agent.send(`Use ${toolName}`);
	const [result] = model.toolResults();
	if (result === undefined) throw new Error(`${toolName} was not called: ${events}`);
	return result;
}

/** Calls the tool that runs an agent twice in this way. */
function runTwice(directive: string): CallTwice {
	return async (meanwhile) => {
		const first = await call('Run_Agent', { directive });
		await meanwhile?.();
		return [first, await call('Run_Agent', { directive })];
	};
}

describe("Browser Agent as a tool of n8n's own agents", () => {
	it('carries out each operation', async () => {
		const { admin } = environment;
		await admin.nextJob({ match: 'price list', durationSeconds: 600 });

		const answers = await callEveryOperation(call, async () => await admin.advance(600));

		expect(answers).toEqual(SUCCESSFUL_ANSWERS);
	});

	it('continues with the same job when an equal call follows a timeout', async () => {
		await environment.continuesAfterTimeout(runTwice('Find the cheapest desk lamp'));
	});
});
