import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

import {
	example,
	exampleWorkflows,
	exampleCredential,
	type CredentialFile,
	type WorkflowFile,
} from '../../dev/n8n/examples';
import { type Service, startService } from '../../local-service/startService';
import { createClient } from '../api/client';
import { deferred, type Deferred } from '../local-service/support/deferred';
import { serviceSettings } from '../local-service/support/serviceSettings';
import { useModelServer } from '../local-service/support/useModelServer';
import { useShop } from '../local-service/support/useShop';
import { waitFor } from '../support/waitFor';
import { Editor } from './support/Editor';
import { Film } from './support/Film';
import { addLampShop, readLamps } from './support/lampShop';
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

const LONG_MS = 60_000;
/** The live view asks for a picture each second. */
const PICTURE_MS = 2500;

const RUN_AGENT = 'Run browser task';
const TRIGGER = 'When a Job Has Finished';
const EXAMPLES = exampleWorkflows().map(({ id }) => id);
const PICTURES = [
	'credential.png',
	'history.png',
	'live.png',
	'run.gif',
	'stopped-execution.png',
	'trigger.png',
	...EXAMPLES.map((id) => `example-${id}.png`),
];

const shop = useShop();
const model = useModelServer();
let service: Service;
let environment: TestEnvironment;
let editor: Editor;
const texts = new PictureTexts(DOCS_FOLDER, RETAKEN_FOLDER !== undefined);

beforeAll(async () => {
	mkdirSync(FOLDER, { recursive: true });
	service = await startService(
		serviceSettings({ ...model.settings(), allowedHosts: [shop.host], maxJobs: 4, port: 0 }),
		{ writeLog: () => {}, rateLimits: 'off' },
	);
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
				pinData: { [MANUAL.name]: [{ json: { room: 'Study' } }] },
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
	await service?.close();
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

it('films run.gif: the node is added, filled in and run, and reads a real page', async () => {
	await environment.api.updateCredential(exampleCredential(service.url, service.apiKey));
	// So high that the result is shown, without the links below it.
	await editor.page.setViewportSize({ width: 1280, height: 710 });
	const film = new Film(editor.page, HIDDEN_IN_FILM);
	const shown: string[] = [];
	const recordTexts = async () => {
		const parts = ['node-creator', 'node-parameters', 'node-hint'].map((id) => editor.part(id));
		shown.push(...(await textsOf(...parts)));
	};
	const type = async (field: string, text: string) => {
		for (const part of [0.5, 1]) {
			await editor.fill(field, text.slice(0, text.length * part));
			await film.show(250);
		}
	};
	await editor.openWorkflow('film');
	await film.show(700);
	await editor.part('canvas-handle-plus').click();
	const found = await editor.searchNodes('browser agent', 'Browser Agent');
	await film.show(800);
	await recordTexts();
	await found.click();
	await editor.part('node-creator').getByText(RUN_AGENT, { exact: true }).waitFor();
	await film.show(800);
	await recordTexts();
	await editor.choose(RUN_AGENT);
	await editor.field('directive').waitFor();
	await film.show(500);
	await recordTexts();
	await type('directive', 'Find the three cheapest desk lamps, with their prices in EUR');
	await type('initialUrl', `${shop.url}/lamps`);
	await editor.chooseOption('outputFormat', 'Like an Example');
	await editor.fillJson(
		'outputExample',
		'{ "lamps": [{ "name": "Lumen", "price": 20.5, "rating": 4.5, "in_stock": true }] }',
	);
	await film.show(1700);

	const mayGoOn = useSteps();
	await editor.part('node-execute-button').click();
	await editor.part('output-panel').getByText('Executing node').first().waitFor();
	await film.show(1000);
	const live = await openLiveView();
	await film.show(1800, live);
	mayGoOn(1).resolve();
	await live.getByText('Clicked link "Cheapest first"').waitFor();
	await newPicture(live);
	await film.show(1900, live);
	mayGoOn(2).resolve();
	await editor.part('node-run-status-success').waitFor();
	await live.close();
	await editor.part('output-panel').getByText('JSON', { exact: true }).click();
	await editor.outputText('Nordlys');
	await editor.page.mouse.move(0, 0);
	await film.show(4500);
	await recordTexts();
	await environment.api.updateCredential(exampleCredential(environment.sandbox.url));

	film.beginWithEnd(1500);
	const { totalMs, bytes } = film.save(file('run.gif'));
	texts.check('run.gif', [...new Set(shown)]);
	expect(totalMs).toBeLessThan(17_000);
	expect(bytes).toBeLessThan(1_500_000);
});

/** Makes the model read lamps, and wait before each step until it may go on. */
function useSteps(): (step: number) => Deferred<void> {
	const steps = new Map<number, Deferred<void>>();
	const step = (number: number) => {
		const found = steps.get(number) ?? deferred();
		steps.set(number, found);
		return found;
	};
	addLampShop(shop);
	model.does(readLamps(async (number) => await step(number).promise));
	return step;
}

/** Opens the live view of the job that was started last, and waits until its model thinks. */
async function openLiveView(): Promise<Page> {
	await waitFor(() => expect(model.arrivals.length).toBeGreaterThan(0), LONG_MS);
	const [job] = service.jobs.newestFirst();
	const page = await editor.page.context().newPage();
	await page.setViewportSize(editor.page.viewportSize() ?? { width: 1280, height: 710 });
	await page.goto(`${service.url}/live/${job?.id}/${job?.record.liveSecret}`);
	await newPicture(page);
	return page;
}

/** Waits until the live view shows the page as it is now. */
async function newPicture(live: Page): Promise<void> {
	// It has the size of the browser as soon as there is a picture.
	await live.locator('#picture[width="1920"]').waitFor();
	await live.waitForTimeout(PICTURE_MS);
}

it('takes the pictures of the live view and of the history', async () => {
	await editor.page.setViewportSize({ width: 1140, height: 860 });
	const mayGoOn = useSteps();
	const client = createClient(service.url, service.apiKey);
	const { data } = await client.start({
		directive: 'Find the three cheapest desk lamps, with their prices in EUR',
		initial_url: `${shop.url}/lamps`,
	});
	const live = await openLiveView();
	mayGoOn(1).resolve();
	await live.getByText('Clicked link "Cheapest first"').waitFor();
	await newPicture(live);
	await live.getByRole('button', { name: 'Take over' }).click();
	await live.getByText('A person has taken over').waitFor();
	await live.screenshot({ path: file('live.png') });
	texts.check('live.png', await pageTexts(live));

	await live.getByRole('button', { name: 'Hand back' }).click();
	mayGoOn(2).resolve();
	mayGoOn(3).resolve();
	await live.getByText('The job has completed').first().waitFor();
	await live.goto(String(data.history_url));
	await live.locator('img').last().scrollIntoViewIfNeeded();
	await live.evaluate('scrollTo(0, 0)');
	await live.screenshot({ path: file('history.png') });
	texts.check('history.png', await pageTexts(live));
	await live.close();
});

/** The texts of a page of the local service, without what differs each time. */
async function pageTexts(page: Page): Promise<string[]> {
	const shown = await textsOf(page.locator('body'));
	return shown.map((text) =>
		text
			.replaceAll(shop.host, '127.0.0.1:…')
			.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '…')
			.replace(/\d+(?:\.\d+)?(?= s\b| tokens| in\b| out\b)/g, '…'),
	);
}

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
