import { example } from '../../dev/n8n/examples';
import { Editor } from './support/Editor';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';
import { stopWhileWaiting } from './support/stopWhileWaiting';

let environment: TestEnvironment;
let editor: Editor;

beforeAll(async () => {
	// The editor saves every change, so each group of tests has its own workflow.
	environment = await startTestEnvironment({
		workflows: () => [
			...['panel', 'form', 'credential', 'failing-run', 'completed-run', 'stopped'].map((id) =>
				example('quick-start', { id }),
			),
			example('trigger-pair-start'),
		],
		sandbox: { defaultJobSeconds: 3 },
	});
	editor = await Editor.open(environment.n8n);
});

afterAll(async () => {
	await editor?.close();
	await environment?.stop();
});

describe('the node panel', () => {
	it('lists "Run browser task" first and adds the node with it', async () => {
		// Not an empty workflow: n8n resets that once more while it opens, with what was added to it.
		await editor.openWorkflow('panel');

		await (await editor.searchNodes('browser agent', 'Browser Agent')).click();
		const panel = editor.part('node-creator');
		await panel.getByText('Run browser task', { exact: true }).waitFor();
		const description = await panel.innerText();
		const names = await editor.part('node-creator-item-name').allInnerTexts();
		await editor.choose('Run browser task');
		await editor.field('directive').waitFor();

		expect(description).toContain(
			'Let an AI agent work in a web browser, or start a workflow when its job finishes',
		);
		expect(names.find((name) => name !== 'Browser Agent')).toBe('Run browser task');
	});

	it('lists the trigger once, instead of once per status', async () => {
		await editor.openWorkflow();

		await (await editor.searchNodes('browser agent', 'Browser Agent')).click();
		await editor.part('node-creator').getByText('On new Browser Agent event').waitFor();

		const names = await editor.part('node-creator-item-name').allInnerTexts();
		expect(names.filter((name) => name.startsWith('On '))).toEqual(['On new Browser Agent event']);
	});
});

describe('the search in the node panel', () => {
	beforeAll(async () => {
		await editor.openWorkflow('form');
	});

	it.each([
		'scrape',
		'crawl',
		'web browser',
		'web agent',
		'ai agent',
		'login',
		'fill form',
		'extract',
	])('finds the node by "%s"', async (term) => {
		// So that the node isn't still listed for the term before.
		await editor.searchNodes('merge', 'Merge');

		const found = await editor.searchNodes(term, 'Browser Agent');

		await expect(found.isVisible()).resolves.toBe(true);
	});
});

describe('the credential', () => {
	beforeAll(async () => {
		await editor.openWorkflow('credential');
		await editor.openNode('Run Agent');
		await editor.part('node-credentials-select').click();
		await editor.part('node-credentials-select-item-new').click();
		await editor.part('credential-save-button').waitFor();
	});

	const form = () => editor.part('node-credentials-config-container');
	const fill = async (name: string, text: string) =>
		await editor.part(`parameter-input-${name}`).locator('input').fill(text);

	// All messages are tested with `testCredential`.
	it('describes the next step when the API key is wrong', async () => {
		await fill('baseUrl', environment.sandbox.url);
		await fill('apiKey', 'a-wrong-key');
		await editor.part('credential-save-button').click();
		await form().getByText('More details').click();

		await form()
			.getByText('The service did not accept the API key. Enter a valid key of this service')
			.waitFor();
	});
});

describe('a run in the editor', () => {
	it('shows the error of a failed job, the next step, and a link to what the agent did', async () => {
		await environment.sandbox.admin.nextJob({
			durationSeconds: 1,
			outcome: 'failed',
			error: 'The page asked for a password',
		});
		await editor.openWorkflow('failing-run');
		await editor.runWorkflow();
		await editor.node('Run Agent').getByTestId('node-issues').waitFor();
		await editor.openNode('Run Agent');

		const text = await editor.outputText('The page asked for a password');

		const [job] = (await environment.sandbox.admin.jobs()).slice(-1);
		expect(text).toContain(job?.job_id);
		expect(text).toContain("'Return Instead of Failing'");
		expect(text).toContain(`/${job?.job_id}/history`);
		await openHistory(job?.job_id);
	});

	it('shows the item of a completed job with a link to what the agent did', async () => {
		await editor.openWorkflow('completed-run');
		await editor.runWorkflow();
		await editor.node('Run Agent').getByTestId('canvas-node-status-success').waitFor();
		await editor.openNode('Run Agent');

		await editor.outputText('completed');

		const [job] = (await environment.sandbox.admin.jobs()).slice(-1);
		await openHistory(job?.job_id);
	});

	/** Clicks the link to a job's history, which opens a tab. */
	async function openHistory(jobId = ''): Promise<void> {
		const tab = editor.page.waitForEvent('popup');
		await editor.part('output-panel').locator(`a[href$="/${jobId}/history"]`).click();
		const history = await tab;
		expect(history.url()).toContain(`/${jobId}/history`);
		await history.close();
	}
});

describe('Stop in the editor', () => {
	it('pauses the job and leaves its ID in the highlighted data of the execution', async () => {
		const { api, sandbox } = environment;

		const { jobId, executionId } = await stopWhileWaiting(editor, environment, 'stopped');
		const panel = await editor.openHighlightedData('stopped', executionId);

		const { status, customData } = await api.getExecution(executionId);
		const [job] = (await sandbox.admin.jobs()).filter(({ job_id }) => job_id === jobId);
		expect(status).toBe('canceled');
		expect(job?.status).toBe('paused');
		expect(customData).toEqual({ browser_agent_jobs: jobId });
		await expect(panel.innerText()).resolves.toMatch(new RegExp(`browser_agent_jobs\\s+${jobId}`));
	});
});

it('the trigger pair: Execute Workflow opens the form, which starts a job', async () => {
	await editor.openWorkflow('trigger-pair-start');
	const opened = editor.page.waitForEvent('popup');

	await editor.runWorkflow();
	const form = await opened;
	await form.locator('[name="field-0"]').fill('Compare the prices');
	await form.locator('#submit-btn').click();

	await editor.page.getByText('Workflow executed successfully').waitFor();
	await form.close();
	const directives = (await environment.sandbox.admin.jobs()).map(({ directive }) => directive);
	expect(directives).toContain('Compare the prices');
});
