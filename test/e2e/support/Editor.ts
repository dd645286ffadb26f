import { selectors, type Browser, type Locator, type Page } from 'playwright-core';

import type { N8nInstance } from '../../../dev/n8n/N8nInstance';
import { startChromium } from './chromium';

// The attribute by which n8n's own tests find elements.
selectors.setTestIdAttribute('data-test-id');

const WAIT_MS = 45_000;

// The margins of a picture around the nodes of a workflow, in px.
const AROUND = { top: 12, sides: 100, bottom: 12 };
const BELOW = 160;
const NODES = '.vue-flow__node';

/** The part of a DOM element that is needed here. */
interface HasBox {
	getBoundingClientRect(): { x: number; y: number; width: number; height: number };
}

/** n8n's editor in a browser, operated as a user would. */
export class Editor {
	private constructor(
		private readonly browser: Browser,
		readonly page: Page,
		private readonly url: string,
	) {
		page.setDefaultTimeout(WAIT_MS);
	}

	/** Opens the editor as the signed-in owner. */
	static async open(
		{ url, owner }: N8nInstance,
		{ width = 1280, height = 800, scale = 1 } = {},
	): Promise<Editor> {
		const browser = await startChromium();
		const context = await browser.newContext({
			viewport: { width, height },
			deviceScaleFactor: scale,
			reducedMotion: 'reduce',
			// n8n ignores an approval by a browser that calls itself headless.
			userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
		});
		await context.request.post(`${url}/rest/login`, {
			data: { emailOrLdapLoginId: owner.email, password: owner.password },
		});
		return new Editor(browser, await context.newPage(), url);
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** Opens a workflow by ID, or an empty one. */
	async openWorkflow(id = 'new'): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`, { waitUntil: 'commit' });
		await this.part(id === 'new' ? 'canvas-plus-button' : 'canvas-node')
			.first()
			.waitFor();
	}

	/** The visible elements with this test ID. */
	part(testId: string): Locator {
		return this.page.getByTestId(testId).filter({ visible: true });
	}

	/** Types into the search of the node panel and waits for a result with this name. */
	async searchNodes(text: string, wanted: string): Promise<Locator> {
		const search = this.part('node-creator-search-bar');
		if ((await search.count()) === 0) {
			const first = this.part('canvas-plus-button');
			await ((await first.count()) > 0 ? first : this.part('node-creator-plus-button')).click();
		}
		await search.fill(text);
		const found = this.part('node-creator-item-name').filter({
			has: this.page.getByText(wanted, { exact: true }),
		});
		await found.first().waitFor();
		return found.first();
	}

	/** Clicks an entry of the node panel. */
	async choose(text: string): Promise<void> {
		await this.part('node-creator').getByText(text, { exact: true }).first().click();
	}

	/** All nodes on the canvas, notes among them. */
	nodes(): Locator {
		return this.page.locator(NODES).filter({ visible: true });
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.part('ndv').waitFor();
	}

	field(name: string): Locator {
		return this.part('node-parameters').getByTestId(`parameter-input-${name}`);
	}

	async fill(field: string, text: string): Promise<void> {
		await this.field(field).locator('input, textarea').first().fill(text);
	}

	/** Chooses one of the options of a field. */
	async chooseOption(field: string, name: string): Promise<void> {
		await this.field(field).locator('input').first().click();
		const options = this.page.locator('.el-select-dropdown__item').filter({ visible: true });
		await options.filter({ hasText: name }).first().click();
	}

	/** Fills in a box for JSON, and waits until it is not marked as an error anymore. */
	async fillJson(field: string, json: string): Promise<void> {
		await this.field(field).locator('.cm-content').fill(json);
		await this.field(field).locator('.cm-lint-marker-error').waitFor({ state: 'detached' });
	}

	/** Opens the chat of a workflow and sends a message. */
	async sendChatMessage(text: string): Promise<void> {
		const button = this.part('workflow-chat-button');
		await button.waitFor();
		// The chat stays open for the next workflow, and the button hides it then.
		if (!(await button.innerText()).includes('Hide')) await button.click();
		await this.page.locator('.chat-input textarea').fill(text);
		await this.page.keyboard.press('Enter');
	}

	/** A button below a message of the chat. */
	chatButton(text: string): Locator {
		return this.page.locator('.chat-button').getByText(text, { exact: true });
	}

	async runWorkflow(): Promise<void> {
		await this.part('execute-workflow-button').first().click();
	}

	async stopExecution(): Promise<void> {
		await this.part('stop-execution-button').click();
		await this.part('stop-execution-button').waitFor({ state: 'hidden' });
	}

	/** Opens an execution in the workflow's list of executions. */
	async openExecution(workflowId: string, executionId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}/executions/${executionId}`);
		await this.part('canvas-node').first().waitFor();
	}

	/** Opens an execution in the workflow's list of executions, and there its highlighted data. */
	async openHighlightedData(workflowId: string, executionId: string): Promise<Locator> {
		await this.pretendRegistered();
		await this.openExecution(workflowId, executionId);
		await this.part('execution-preview-ellipsis-button').click();
		const panel = this.part('execution-annotation-panel');
		await panel.waitFor();
		await this.page.unroute('**/rest/settings');
		return panel;
	}

	/** The text of the open node's output panel, once it contains `awaited`: rows appear last. */
	async outputText(awaited: string): Promise<string> {
		const panel = this.part('output-panel');
		await panel.filter({ hasText: awaited }).waitFor();
		return await panel.innerText();
	}

	/** The middle column of the open node, with its fields. */
	column(): Locator {
		return this.part('node-parameters').locator('xpath=ancestor::*[@class][3]');
	}

	/** Takes a picture of the workflow only, as large as it fits. */
	async takeCanvas(file: string, style: string): Promise<void> {
		await this.part('zoom-to-fit').click();
		const { width = 0, height = 0 } = this.page.viewportSize() ?? {};
		// The button at the bottom moves down, away from the workflow, which stays where it is.
		await this.page.setViewportSize({ width, height: height + BELOW });
		await this.page.mouse.move(0, 0);
		await this.page.screenshot({ path: file, style, clip: await this.workflowArea() });
		await this.page.setViewportSize({ width, height });
	}

	// n8n stores highlighted data always, but shows it only once it is registered, which is free but
	// takes a key from n8n's makers.
	private async pretendRegistered(): Promise<void> {
		await this.page.route('**/rest/settings', async (route) => {
			const response = await route.fetch();
			const { data } = (await response.json()) as { data: { enterprise: object } };
			const enterprise = { ...data.enterprise, advancedExecutionFilters: true };
			await route.fulfill({ response, json: { data: { ...data, enterprise } } });
		});
	}

	private async workflowArea() {
		const nodes = await this.boxesOf(NODES);
		// A node's name reaches beyond its box, and lines may run below all nodes.
		const all = [
			...nodes,
			...(await this.boxesOf(`${NODES} *`)),
			...(await this.boxesOf('.vue-flow__edge-path')),
		];
		const x = Math.min(...nodes.map((box) => box.x)) - AROUND.sides;
		const y = Math.min(...nodes.map((box) => box.y)) - AROUND.top;
		const right = Math.max(...nodes.map((box) => box.x + box.width)) + AROUND.sides;
		const bottom = Math.max(...all.map((box) => box.y + box.height)) + AROUND.bottom;
		return { x, y, width: right - x, height: bottom - y };
	}

	private async boxesOf(selector: string) {
		const elements = this.page.locator(selector).filter({ visible: true });
		return await elements.evaluateAll((found: HasBox[]) =>
			found.map((element) => {
				const { x, y, width, height } = element.getBoundingClientRect();
				return { x, y, width, height };
			}),
		);
	}
}
