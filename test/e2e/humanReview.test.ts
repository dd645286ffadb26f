import { example } from '../../dev/n8n/examples';
import type { Turn } from './support/chatModel';
import { Editor } from './support/Editor';
import { SHORT_WAIT, useToolEnvironment, type CallTwice } from './support/useToolEnvironment';
import { waitFor } from './support/waitFor';

const LAMP = {
	directive: 'Find the cheapest desk lamp',
	initialUrl: 'https://shop.example.com',
};
const CALL_START: Turn = {
	named: 'Start_Browser_Job',
	callTool: { toolParameters: LAMP, hitlParameters: {} },
};
const STORED_WITHIN_MS = 45_000;

let editor: Editor;

// Registered first, so that it runs before n8n is stopped.
afterAll(async () => {
	await editor?.close();
});

const environment = useToolEnvironment({
	workflows: [
		example('ai-agent-long-jobs'),
		example(
			'ai-agent-long-jobs',
			{ id: 'short-wait' },
			{ 'Start Browser Job': { waitUntilFinished: true, options: SHORT_WAIT } },
		),
	],
	modelCredential: 'openAiApi',
});

beforeAll(async () => {
	editor = await Editor.open(environment.n8n, { width: 1400, height: 900 });
});

// Some versions of the agent nest the result as text, with other spaces.
function unescaped(result: string): string {
	return result.replaceAll('\\"', '"').replace(/":\s+/g, '":');
}

async function chat(turns: Turn[], workflowId = 'ai-agent-long-jobs'): Promise<void> {
	environment.model.play(turns);
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
		return environment.model.requests.length === count && latest?.status === 'waiting';
	};
	await waitFor(isStored, STORED_WITHIN_MS, `call ${count} waits for approval`);
	return id;
}

/** Approves both calls, the second one after `meanwhile`. */
function twiceIn(workflowId: string): CallTwice {
	return async (meanwhile) => {
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
		return environment.model.toolResults();
	};
}

describe("A tool behind n8n's human review", () => {
	it('starts its job only after approval', async () => {
		const callResult: Turn = {
			named: 'Get_Browser_Result',
			callTool: (started) => ({ jobId: /"job_id":"([^"]+)"/.exec(unescaped(started))?.[1] }),
		};
		await chat([CALL_START, callResult, { answer: 'It costs 19.90.' }]);
		expect(await environment.starts()).toBe(0);

		await editor.chatButton('Approve').click();
		await editor.page.getByText('It costs 19.90.').first().waitFor();

		const [started, finished] = environment.model.toolResults().map(unescaped);
		expect(await environment.starts()).toBe(1);
		expect(started).toContain('"live_url"');
		expect(started).not.toContain('"output"');
		expect(finished).toContain('"status":"completed"');
	});

	it('continues with the same job when an equal call follows a timeout', async () => {
		await environment.continuesAfterTimeout(twiceIn('short-wait'));
	});
});
