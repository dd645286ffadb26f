import { example } from '../../dev/n8n/examples';
import type { Execution } from '../../dev/n8n/N8nApi';
import { startChatModel, type ChatModel, type Turn } from './support/chatModel';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';

const MANUAL = "When clicking 'Execute workflow'";
const LAMP = {
	directive: 'Find the cheapest desk lamp',
	initialUrl: 'https://shop.example.com',
};
// 1.2 s of real time, and the status is checked within the first second.
const SHORT_WAIT = 0.02;

let environment: TestEnvironment;
let model: ChatModel;

beforeAll(async () => {
	model = await startChatModel();
	environment = await startTestEnvironment({
		workflows: () => [
			example('ai-agent-tool'),
			example(
				'ai-agent-tool',
				{ id: 'short-wait' },
				{ Browser: { options: { maxWaitMinutes: SHORT_WAIT } } },
			),
		],
		credentials: () => [
			{
				id: 'openAiApi',
				name: 'OpenAI account',
				type: 'openAiApi',
				data: { apiKey: 'any-key', url: model.url },
			},
		],
		sandbox: { defaultJobSeconds: 2, limits: 'off' },
	});
});

afterAll(async () => {
	await environment?.stop();
	await model?.close();
});

beforeEach(async () => {
	await environment.sandbox.admin.reset();
});

async function run(workflowId: string, turns: Turn[]): Promise<Execution> {
	model.play(turns);
	const id = await environment.api.startWorkflow(workflowId, MANUAL);
	return await environment.api.waitForExecution(id);
}

function answerOf(execution: Execution): unknown {
	return execution.runs['AI Agent']?.at(-1)?.data?.main?.[0]?.[0]?.json.output;
}

const starts = async () => (await environment.sandbox.admin.counters()).starts;

describe('Browser Agent as the tool of an AI Agent', () => {
	it('returns the result to the model, which answers with it', async () => {
		const execution = await run('ai-agent-tool', [
			{ callTool: LAMP },
			{ answer: 'It costs 19.90.' },
		]);

		const [job] = await environment.sandbox.admin.jobs();
		expect(answerOf(execution)).toBe('It costs 19.90.');
		expect(job?.directive).toBe(LAMP.directive);
		expect(model.toolResults()).toEqual([expect.stringContaining(String(job?.job_id))]);
		expect(model.toolResults()[0]).toContain('completed');
	});

	it('tells the model why a job has failed, and an equal call after that starts a new job', async () => {
		await environment.sandbox.admin.nextJob({
			durationSeconds: 1,
			outcome: 'failed',
			error: 'The page asked for a password',
		});

		const execution = await run('ai-agent-tool', [
			{ callTool: LAMP },
			{ callTool: LAMP },
			{ answer: 'It costs 19.90.' },
		]);

		const [failure, result] = model.toolResults();
		expect(answerOf(execution)).toBe('It costs 19.90.');
		expect(failure).toMatch(/job_\w+/);
		expect(failure).toContain('The page asked for a password');
		expect(result).toContain('completed');
		expect(await starts()).toBe(2);
	});

	it('lets the model leave out the URL', async () => {
		const { directive } = LAMP;

		await run('ai-agent-tool', [{ callTool: { directive } }, { answer: 'It costs 19.90.' }]);

		const [job] = await environment.sandbox.admin.jobs();
		expect(job?.request).toMatchObject({ directive });
		expect(job?.request).not.toHaveProperty('initial_url');
		expect(model.toolResults()[0]).toContain('completed');
	});

	it('continues with the same job when an equal call follows a timeout', async () => {
		const { admin } = environment.sandbox;
		await admin.nextJob({ durationSeconds: 240 });
		const callAgain = async () => {
			await admin.advance(240);
			return LAMP;
		};

		await run('short-wait', [
			{ callTool: LAMP },
			{ callTool: callAgain },
			{ answer: 'It costs 19.90.' },
		]);

		const [timeout, result] = model.toolResults();
		const [job] = await admin.jobs();
		expect(timeout).toContain(job?.job_id);
		expect(timeout).not.toContain('completed');
		expect(result).toContain('completed');
		expect(await starts()).toBe(1);
	});
});
