import { example } from '../../dev/n8n/examples';
import { startChatModel, type ChatModel, type Turn } from './support/chatModel';
import { Editor } from './support/Editor';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';
import { waitFor } from './support/waitFor';

const LAMP = {
	directive: 'Find the cheapest desk lamp',
	initialUrl: 'https://shop.example.com',
};
const CALL_START: Turn = {
	named: 'Start_Browser_Job',
	callTool: { toolParameters: LAMP, hitlParameters: {} },
};
// 1.2 s of real time, and the status is checked within the first second.
const SHORT_WAIT = 0.02;
const STORED_WITHIN_MS = 45_000;

let environment: TestEnvironment;
let model: ChatModel;
let editor: Editor;

beforeAll(async () => {
	model = await startChatModel();
	environment = await startTestEnvironment({
		workflows: () => [
			example('ai-agent-long-jobs'),
			example(
				'ai-agent-long-jobs',
				{ id: 'short-wait' },
				{
					'Start Browser Job': {
						waitUntilFinished: true,
						options: { maxWaitMinutes: SHORT_WAIT },
					},
				},
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
	editor = await Editor.open(environment.n8n, { width: 1400, height: 900 });
});

afterAll(async () => {
	await editor?.close();
	await environment?.stop();
	await model?.close();
});

beforeEach(async () => {
	await environment.sandbox.admin.reset();
});

const starts = async () => (await environment.sandbox.admin.counters()).starts;

// Some versions of the agent nest the result as text, with other spaces.
function unescaped(result: string): string {
	return result.replaceAll('\\"', '"').replace(/":\s+/g, '":');
}

async function chat(turns: Turn[], workflowId = 'ai-agent-long-jobs'): Promise<void> {
	model.play(turns);
	await editor.openWorkflow(workflowId);
	await editor.sendChatMessage('What does the cheapest desk lamp cost?');
	await editor.page.getByText('which costs credits').first().waitFor();
}

/**
 * Waits until n8n has stored the workflow's latest execution, because the `count`th call of a tool
 * waits for approval. Returns the execution's ID.
 */
async function storedExecution(workflowId: string, count: number): Promise<string> {
	let id = '';
	const isStored = async () => {
		const [latest] = await environment.api.listExecutions(workflowId);
		id = latest?.id ?? '';
		return model.requests.length === count && latest?.status === 'waiting';
	};
	await waitFor(isStored, STORED_WITHIN_MS, `call ${count} waits for approval`);
	return id;
}

/**
 * Runs the workflow with a model that makes the same call twice, and approves both. Does
 * `meanwhile` before the second approval.
 */
async function callTwice(workflowId: string, meanwhile?: () => Promise<unknown>): Promise<void> {
	await chat([CALL_START, CALL_START, { answer: 'I called it twice.' }], workflowId);
	const executionId = await storedExecution(workflowId, 1);
	const approval = editor.page
		.context()
		.waitForEvent('request', (request) => request.url().includes('/webhook-waiting/'));
	await editor.chatButton('Approve').click();
	const link = (await approval).url();

	expect(await storedExecution(workflowId, 2)).toBe(executionId);
	await meanwhile?.();
	// The editor's chat doesn't show that a resumed execution waits again. The link stays the same.
	await editor.page.request.get(link);
	const { status } = await environment.api.waitForExecution(executionId);
	expect(status).toBe('success');
}

describe("A tool behind n8n's human review", () => {
	it('starts its job only after approval', async () => {
		const callResult: Turn = {
			named: 'Get_Browser_Result',
			callTool: (started) => ({ jobId: /"job_id":"([^"]+)"/.exec(unescaped(started))?.[1] }),
		};
		await chat([CALL_START, callResult, { answer: 'It costs 19.90.' }]);
		expect(await starts()).toBe(0);

		await editor.chatButton('Approve').click();
		await editor.page.getByText('It costs 19.90.').first().waitFor();

		const [started, finished] = model.toolResults().map(unescaped);
		expect(await starts()).toBe(1);
		expect(started).toContain('"live_url"');
		expect(started).not.toContain('"output"');
		expect(finished).toContain('"status":"completed"');
	});

	it('refuses an equal call after an unclear start', async () => {
		const { admin } = environment.sandbox;
		await admin.fault({ endpoint: 'startAgent', kind: 'reset', when: 'after' });

		await callTwice('ai-agent-long-jobs');

		const [unclear, refusal] = model.toolResults();
		expect(unclear).toContain('It is unclear whether a job was started');
		expect(refusal).toContain('The job was not started again');
		expect(await starts()).toBe(1);
	});

	it('continues with the same job when an equal call follows a timeout', async () => {
		const { admin } = environment.sandbox;
		await admin.nextJob({ durationSeconds: 240 });

		await callTwice('short-wait', async () => await admin.advance(240));

		const [timeout, result] = model.toolResults();
		const [job] = await admin.jobs();
		expect(timeout).toContain(job?.job_id);
		expect(timeout).not.toContain('completed');
		expect(result).toContain('completed');
		expect(await starts()).toBe(1);
	});
});
