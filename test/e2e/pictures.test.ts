import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

import {
	example,
	exampleWorkflows,
	type CredentialFile,
	type WorkflowFile,
} from '../../dev/n8n/examples';
import { Editor } from './support/Editor';
import { Film } from './support/Film';
import { PictureTexts, textsOf } from './support/PictureTexts';
import { startJob } from './support/startJob';
import { startTestEnvironment, type TestEnvironment } from './support/startTestEnvironment';
import { stopWhileWaiting } from './support/stopWhileWaiting';
import { MANUAL } from './support/suspendedWaits';
import { aWorkflow } from './support/workflowFile';

// `npm run docs:screenshots` writes the pictures into docs/images, with the texts in them. The
// tests take them as well, to prove that everything they show can be reached in the editor and that
// their texts are still the same.
const DOCS_FOLDER = path.join(__dirname, '../../docs/images');
const RETAKEN_FOLDER = process.env.DOCS_IMAGES;
const FOLDER = RETAKEN_FOLDER ?? path.join(process.env.E2E_WORK_FOLDER ?? '', 'images');

/** Parts of the editor that pictures leave out. */
const HIDDEN_PARTS = `
	[data-test-id="canvas-controls"], [data-test-id="node-creator-plus-button"],
	[data-test-id="command-bar-button"], [data-test-id="add-sticky-button"],
	[data-test-id="toggle-focus-panel-button"], [data-test-id="canvas-minimap"],
	[data-test-id="canvas-handle-plus-wrapper"], [data-test-id="node-feature-request"],
	[data-test-id^="execute-workflow-button"], [data-test-id="floating-node"],
	[data-radix-popper-content-wrapper], .el-popper, .el-notification {
		visibility: hidden !important;
	}
`;

/** A film keeps what a user would see, but for messages that cover something. */
const HIDDEN_IN_FILM = '.el-notification { visibility: hidden !important; }';

/** The credentials of the nodes for other services in the examples. */
const ACCOUNTS: Record<string, string> = {
	'n8n-nodes-base.slack': 'slackOAuth2Api',
	'n8n-nodes-base.github': 'githubApi',
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
	'n8n-nodes-base.googleDrive': 'googleDriveOAuth2Api',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
};

const RUN_AGENT = 'Run browser task';
const TRIGGER = 'When a Job Has Finished';
const EXAMPLES = exampleWorkflows().map(({ id }) => id);
const PICTURES = [
	'credential.png',
	'run.gif',
	'stopped-execution.png',
	'trigger.png',
	...EXAMPLES.map((id) => `example-${id}.png`),
];

let environment: TestEnvironment;
let editor: Editor;
const texts = new PictureTexts(DOCS_FOLDER, RETAKEN_FOLDER !== undefined);

beforeAll(async () => {
	mkdirSync(FOLDER, { recursive: true });
	environment = await startTestEnvironment({
		workflows: () => [
			...exampleWorkflows().map(withAccounts),
			example('trigger-pair-finish', { id: 'trigger' }, { [TRIGGER]: { jobSource: 'ids' } }),
			example('quick-start', { id: 'form' }),
			example('quick-start', { id: 'stopped' }),
			{
				...aWorkflow('film', MANUAL),
				name: 'Find desk lamps',
				// So that the node's input is not empty.
				pinData: { [MANUAL.name]: [{ json: { shop: 'https://shop.example.com' } }] },
			},
		],
		credentials: () => Object.values(ACCOUNTS).map(toCredential),
		sandbox: { defaultJobSeconds: 3, limits: 'off' },
	});
	editor = await Editor.open(environment.n8n, { width: 1080, height: 760, scale: 1.5 });
});

afterAll(async () => {
	await editor?.close();
	await environment?.stop();
});

function toCredential(type: string): CredentialFile {
	return { id: type, name: 'My account', type, data: {} };
}

/** Connects the nodes for other services, which would be marked as incomplete otherwise. */
function withAccounts(workflow: WorkflowFile): WorkflowFile {
	const nodes = workflow.nodes.map((node) => {
		const type = ACCOUNTS[node.type];
		return type === undefined
			? node
			: { ...node, credentials: { [type]: { id: type, name: 'My account' } } };
	});
	return { ...workflow, nodes };
}

function file(picture: string): string {
	return path.join(FOLDER, picture);
}

it('films run.gif: the node is added, filled in and run', async () => {
	// So high that the result is shown, without the links to the sandbox below it.
	await editor.page.setViewportSize({ width: 1280, height: 710 });
	const film = new Film(editor.page, HIDDEN_IN_FILM);
	const shown: string[] = [];
	const recordTexts = async () => {
		const parts = ['node-creator', 'node-parameters', 'node-hint'].map((id) => editor.part(id));
		shown.push(...(await textsOf(...parts)));
	};
	const type = async (field: string, text: string) => {
		for (const part of [0.3, 0.7, 1]) {
			await editor.fill(field, text.slice(0, text.length * part));
			await film.show(250);
		}
	};
	await editor.openWorkflow('film');
	await film.show(800);
	await editor.part('canvas-handle-plus').click();
	const found = await editor.searchNodes('browser agent', 'Browser Agent');
	await film.show(900);
	await recordTexts();
	await found.click();
	await editor.part('node-creator').getByText(RUN_AGENT, { exact: true }).waitFor();
	await film.show(1000);
	await recordTexts();
	await editor.choose(RUN_AGENT);
	await editor.field('directive').waitFor();
	await film.show(700);
	await recordTexts();
	await type('directive', 'Find the three cheapest desk lamps, with their prices in EUR');
	await type('initialUrl', 'https://shop.example.com');
	await editor.chooseOption('outputFormat', 'Like an Example');
	await editor.fillJson(
		'outputExample',
		'{ "lamps": [{ "name": "Arc", "price": 20.5, "rating": 4.5, "in_stock": true }] }',
	);
	await film.show(1900);

	await environment.sandbox.admin.nextJob({
		durationSeconds: 4,
		output: {
			lamps: [
				{ name: 'Arc', price: 19.9, rating: 4.6, in_stock: true },
				{ name: 'Pixie', price: 24.5, rating: 4.2, in_stock: false },
				{ name: 'Nordlys', price: 31, rating: 4.8, in_stock: true },
			],
		},
	});
	await editor.part('node-execute-button').click();
	await editor.part('output-panel').getByText('Executing node').first().waitFor();
	await film.show(1500);
	await editor.part('node-run-status-success').waitFor();
	await editor.part('output-panel').getByText('JSON', { exact: true }).click();
	await editor.outputText('Nordlys');
	await editor.page.mouse.move(0, 0);
	await film.show(4500);
	await recordTexts();

	film.beginWithEnd(1500);
	const { totalMs, bytes } = film.save(file('run.gif'));
	texts.check('run.gif', [...new Set(shown)]);
	expect(totalMs).toBeLessThan(17_000);
	expect(bytes).toBeLessThan(1_500_000);
});

it('takes the picture of a stopped execution with the ID of its job', async () => {
	await editor.page.setViewportSize({ width: 1280, height: 480 });
	const { executionId } = await stopWhileWaiting(editor, environment, 'stopped');
	const panel = await editor.openHighlightedData('stopped', executionId);

	await editor.page.screenshot({
		path: file('stopped-execution.png'),
		animations: 'disabled',
		style: '[data-test-id="canvas-controls"], .el-notification { visibility: hidden !important; }',
	});
	texts.check('stopped-execution.png', await textsOf(editor.nodes(), panel));
});

it('takes the picture of the trigger after Fetch Test Event', async () => {
	await editor.page.setViewportSize({ width: 1280, height: 850 });
	const jobId = await startJob(environment.sandbox.url, 'Compare prices');
	await environment.sandbox.admin.advance(60);
	await editor.openWorkflow('trigger');
	await editor.openNode(TRIGGER);
	await editor.fill('jobIds', jobId);
	await editor.part('node-execute-button').click();
	await editor.part('node-run-status-success').waitFor();

	await editor.column().screenshot({ path: file('trigger.png'), style: HIDDEN_PARTS });
	texts.check('trigger.png', await textsOf(editor.column()));
});

it('takes the picture of a tested credential', async () => {
	await editor.page.setViewportSize({ width: 1080, height: 760 });
	await editor.openWorkflow('form');
	await editor.openNode('Run Agent');
	await editor.part('credential-edit-button').click();
	await editor.part('credentials-config-container-test-success').waitFor();

	const dialog = editor.page.locator('.el-dialog').filter({ visible: true }).last();
	// The sandbox has a free port here, and this one when users start it.
	await dialog.locator('input').evaluateAll((inputs: Array<{ value: string }>) => {
		for (const input of inputs) {
			input.value = input.value.replace(/^(http:\/\/127\.0\.0\.1):\d+$/, `$1:3400`);
		}
	});
	await dialog.screenshot({ path: file('credential.png'), style: HIDDEN_PARTS });
	texts.check('credential.png', await textsOf(dialog));
});

it.each(EXAMPLES)('takes the picture of the example %s', async (id) => {
	await editor.page.setViewportSize({ width: 1080, height: 560 });
	await editor.openWorkflow(id);

	await editor.takeCanvas(file(`example-${id}.png`), HIDDEN_PARTS);
	texts.check(`example-${id}.png`, await textsOf(editor.nodes()));
});

it('takes every picture of the documentation', () => {
	const pictures = readdirSync(DOCS_FOLDER).filter((name) => /\.(?:gif|png)$/.test(name));

	expect(pictures.sort()).toEqual(PICTURES.sort());
	expect(texts.pictures.sort()).toEqual(PICTURES.sort());
});
