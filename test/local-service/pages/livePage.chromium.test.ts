import type { Browser, Page } from 'playwright-core';

import type { AgentTask } from '../../../local-service/agent/runAgent';
import type { Step } from '../../../local-service/agent/Step';
import { openBrowser } from '../../../local-service/browser/openBrowser';
import { type Service, startService } from '../../../local-service/startService';
import { createClient } from '../../api/client';
import { startChromium } from '../../e2e/support/chromium';
import { waitFor } from '../../support/waitFor';
import { deferred, type Deferred } from '../support/deferred';
import { serviceSettings } from '../support/serviceSettings';
import { useShop } from '../support/useShop';

const DESK = `<title>Desk</title>
	<style>body { height: 5000px } button, input { position: absolute; left: 600px; top: 400px }
	input { top: 600px; width: 300px }</style>
	<button onclick="this.textContent = 'Pressed'">Press</button><input aria-label="Name">`;
const MARKUP = '<img src=x onerror="document.title = 1">';
const WITHIN_MS = 20_000;

/** What the job's agent was given, and what ends its work. */
interface Work {
	task: AgentTask;
	end: Deferred<void>;
}

describe('The pages in a browser', () => {
	const shop = useShop();
	let service: Service;
	let viewer: Browser;
	let working: Deferred<Work>;

	beforeAll(async () => {
		const settings = serviceSettings({ allowedHosts: [shop.host], port: 0 });
		service = await startService(settings, {
			writeLog: () => {},
			rateLimits: 'off',
			engine: {
				checkChromium: async () => {},
				openBrowser: async (request, signal) => await openBrowser(request, settings, signal),
				createModel: () => ({ label: 'local/scripted' }) as never,
				mapPayload: async () => ({}),
				// Opens its page and waits: what happens then, a person does.
				async runAgent(task) {
					await task.browser.page().goto(`${shop.url}/desk`);
					const end = deferred();
					working.resolve({ task, end });
					await end.promise;
					return await task.mayAct();
				},
			},
		});
		viewer = await startChromium();
	});
	beforeEach(() => {
		shop.page('/desk', DESK);
		working = deferred();
	});
	afterAll(async () => {
		await viewer?.close();
		await service?.close();
	});

	/** Starts a job and waits until its page is open. */
	async function startJob() {
		const client = createClient(service.url, service.apiKey);
		const { data } = await client.start({
			directive: 'Wait',
			browser_config: { width: 1000, height: 700 },
		});
		const { task, end } = await working.promise;
		const job = service.jobs.find(data.job_id);
		if (!job) throw new Error('There is no job');
		return { ...data, job, task, end, desk: task.browser.page() } as {
			live_url: string;
			history_url: string;
			job: typeof job;
			task: AgentTask;
			end: Deferred<void>;
			desk: Page;
		};
	}

	/** Opens an address for a person. `problems` has what the browser refuses, and errors. */
	async function visit(url: string, options: { javaScriptEnabled?: boolean } = {}) {
		const context = await viewer.newContext({ viewport: { width: 800, height: 900 }, ...options });
		const page = await context.newPage();
		const problems: string[] = [];
		page.on('console', (message) => {
			const isMissing = message.text().startsWith('Failed to load resource');
			if (message.type() === 'error' && !isMissing) problems.push(message.text());
		});
		page.on('pageerror', (error) => problems.push(error.message));
		await page.goto(url);
		return { page, problems, close: async () => await context.close() };
	}

	const statusOf = async (page: Page) => await page.locator('#status').textContent();
	const hasStatus = async (page: Page, words: RegExp) =>
		await waitFor(async () => expect(await statusOf(page)).toMatch(words), WITHIN_MS);

	/** Where a place of the job's page is in the picture of the live view. */
	async function placeOf(page: Page, x: number, y: number) {
		const box = await page.locator('#picture').boundingBox();
		if (!box) throw new Error('There is no picture');
		return { x: box.x + (x * box.width) / 1000, y: box.y + (y * box.height) / 700 };
	}

	function aStep(more: Partial<Step> = {}): Step {
		const at = '2030-01-01T00:00:07.000Z';
		const address = `${shop.url}/desk`;
		return {
			number: 1,
			at,
			action: 'Looked',
			tool: 'wait',
			address,
			notices: [],
			ms: 9,
			model: '',
			...more,
		};
	}

	it('let a person take the browser over, work in it, and hand it back', async () => {
		const { live_url, desk, end, job } = await startJob();
		const { page, problems, close } = await visit(live_url);
		await hasStatus(page, /agent is working/);
		const picture = page.locator('#picture');
		await waitFor(async () => expect(await picture.getAttribute('width')).toBe('1000'), WITHIN_MS);

		// Before the take-over, nothing goes through.
		const button = await placeOf(page, 620, 410);
		await page.mouse.click(button.x, button.y);

		await page.getByRole('button', { name: 'Take over' }).click();
		await hasStatus(page, /taken over/);
		expect(await desk.getByRole('button').textContent()).toBe('Press');
		await page.mouse.click(button.x, button.y);
		await waitFor(
			async () => expect(await desk.getByRole('button').textContent()).toBe('Pressed'),
			WITHIN_MS,
		);

		const field = desk.getByLabel('Name');
		const place = await placeOf(page, 650, 610);
		await page.mouse.click(place.x, place.y);
		await page.keyboard.type('Ada + Zoë');
		await waitFor(async () => expect(await field.inputValue()).toBe('Ada + Zoë'), WITHIN_MS);
		await page.keyboard.press('Control+a');
		await page.keyboard.press('Backspace');
		await waitFor(async () => expect(await field.inputValue()).toBe(''), WITHIN_MS);

		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await page.evaluate(`navigator.clipboard.writeText('from elsewhere: 日本')`);
		await page.keyboard.press('Control+v');
		await waitFor(
			async () => expect(await field.inputValue()).toBe('from elsewhere: 日本'),
			WITHIN_MS,
		);

		await page.mouse.wheel(0, 600);
		await waitFor(
			async () => expect(await desk.evaluate('scrollY')).toBeGreaterThan(100),
			WITHIN_MS,
		);

		await page.getByRole('button', { name: 'Hand back' }).click();
		await hasStatus(page, /agent is working/);
		end.resolve();
		await hasStatus(page, /The job has completed/);
		expect(await page.locator('#ending').textContent()).toContain('"takenOver": true');
		expect(job.record.output).toEqual({ wasHeld: true, takenOver: true });
		for (const name of ['Take over', 'Hand back', 'Pause', 'Resume']) {
			expect(await page.getByRole('button', { name }).isDisabled()).toBe(true);
		}
		expect(problems).toEqual([]);
		await close();
	});

	it('show and change the status by Pause and Resume', async () => {
		const { live_url, end, job } = await startJob();
		const { page, close } = await visit(live_url);

		await page.getByRole('button', { name: 'Pause' }).click();
		await hasStatus(page, /is paused/);
		expect(job.status).toBe('paused');
		await page.getByRole('button', { name: 'Resume' }).click();
		await hasStatus(page, /agent is working/);

		end.resolve();
		await close();
	});

	it('show what pages and models have written as text', async () => {
		const { live_url, history_url, task, end } = await startJob();
		task.record(aStep({ action: MARKUP, note: MARKUP, error: MARKUP, notices: [MARKUP] }));

		const live = await visit(live_url);
		await waitFor(
			async () => expect(await live.page.locator('#steps').textContent()).toContain(MARKUP),
			WITHIN_MS,
		);
		const history = await visit(history_url);

		expect(await live.page.title()).not.toBe('1');
		expect(await live.page.locator('img').count()).toBe(0);
		expect(await history.page.locator('main').textContent()).toContain(MARKUP);
		expect(await history.page.title()).not.toBe('1');
		expect([...live.problems, ...history.problems]).toEqual([]);
		end.resolve();
		await Promise.all([live.close(), history.close()]);
	});

	it('show the history with its pictures without JavaScript', async () => {
		const { history_url, task, end } = await startJob();
		task.record(aStep({ screenshot: await task.browser.screenshot() }));
		end.resolve();

		const { page, close } = await visit(history_url, { javaScriptEnabled: false });

		expect(await page.getByAltText('The page after step 1').count()).toBe(1);
		await waitFor(
			async () => expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1000),
			WITHIN_MS,
		);
		await close();
	});
});
