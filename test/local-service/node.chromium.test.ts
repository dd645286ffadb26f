import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { startChromium } from '../e2e/support/chromium';
import { useBinaryData } from '../support/useBinaryData';
import { toResult } from '../support/runNode';
import { waitFor } from '../support/waitFor';
import { deferred } from './support/deferred';
import { type ModelAction, refOf, type Shown, useModelServer } from './support/useModelServer';
import { useNodeService } from './support/useNodeService';
import { ITEMS, PASSWORD, PDF, useShop } from './support/useShop';

const shop = useShop();
const model = useModelServer();
const node = useNodeService(() => ({
	...model.settings(),
	allowedHosts: [shop.host],
	maxJobs: 2,
}));

const done = (output: unknown) => ({ call: 'done', input: { output } });
const click = (page: string, text: string) => ({
	call: 'click',
	input: { ref: refOf(page, text) },
});
const type = (page: string, field: string, text: string) => ({
	call: 'type',
	input: { ref: refOf(page, field), text },
});

/** Logs in, step by step, and then says what the account page says. */
function logIn({ page }: Shown) {
	if (page.includes('heading "Hello')) return done(/Hello \w+/.exec(page)?.[0]);
	if (!/textbox "User".*: ada$/m.test(page)) return type(page, 'textbox "User"', 'ada');
	if (!page.includes('(filled)')) return type(page, 'textbox "Password"', PASSWORD);
	return click(page, 'button "Log in"');
}

/** Holds the model's first answer, after `asked`, until `taken` is resolved. */
function letPersonTakeOver(script: (shown: Shown) => ModelAction) {
	const [asked, taken] = [deferred(), deferred()];
	model.does(async (shown) => {
		if (shown.number === 1) {
			asked.resolve();
			await taken.promise;
		}
		return script(shown);
	});
	return { asked, taken };
}

describe('Through the node, the local service', () => {
	const files = useBinaryData('memory');

	it('reads headline and links of a page, as JSON that the node has checked', async () => {
		model.does(({ page }) =>
			done({
				headline: /heading "([^"]+)"/.exec(page)?.[1],
				links: [...page.matchAll(/\/url: (\S+)/g)].slice(0, 3).map(([, url]) => url),
			}),
		);

		const { json, error } = await node.runAgent({
			directive: 'Get the headline of the page and its first three links',
			initialUrl: shop.url,
			waitUntilFinished: true,
			outputFormat: 'example',
			outputExample: '{ "headline": "Welcome", "links": ["https://example.com/about"] }',
		});

		expect(error).toBeUndefined();
		expect(json).toMatchObject([
			{
				status: 'completed',
				output: { headline: 'Tools', links: ['/items/1', '/items/2', '/items/3'] },
			},
		]);
	});

	it("gives a file and a PDF to n8n as binary data, under the site's names", async () => {
		model.does(({ number, page }) => {
			if (number === 1) return click(page, 'link "Report"');
			if (number === 2) return click(page, 'link "Invoice"');
			return done('Two files');
		});

		const { items, error } = await node.runAgent({
			directive: 'Download report and invoice',
			initialUrl: shop.url,
			waitUntilFinished: true,
			options: { downloadFiles: true },
		});

		expect(error).toBeUndefined();
		const binary = Object.values(items[0]?.binary ?? {});
		const read = await Promise.all(
			binary.map(async (file) => [file.fileName, (await files.read(file)).toString('latin1')]),
		);
		expect(Object.fromEntries(read)).toEqual({
			// The shop calls it '../../report 2024.csv'.
			'report 2024.csv': 'tool,price\nHammer,10\n',
			'invoice.pdf': PDF.toString('latin1'),
		});
	});

	it('stays logged in over the steps of a job, and with the profile over two jobs', async () => {
		model.does(logIn);
		const browserConfig = { useUserBrowserProfile: true };
		const task = { directive: 'Log in as ada', waitUntilFinished: true, browserConfig };
		const first = await node.runAgent({ ...task, initialUrl: `${shop.url}/login` });
		expect(first.error?.message).toBeUndefined();
		expect(first.json).toMatchObject([{ status: 'completed', output: 'Hello ada' }]);
		const posts = shop.requests.filter((request) => request === 'POST /login');

		// The shop's cookie is one of a session: it has no date.
		const second = await node.runAgent({ ...task, initialUrl: `${shop.url}/account` });
		expect(second.json).toMatchObject([{ status: 'completed', output: 'Hello ada' }]);
		expect(shop.requests.filter((request) => request === 'POST /login')).toEqual(posts);

		const without = await node.runAgent({
			...task,
			browserConfig: {},
			initialUrl: `${shop.url}/account`,
		});
		expect(without.json).toMatchObject([{ output: 'Hello ada' }]);
		expect(shop.requests.filter((request) => request === 'POST /login')).toHaveLength(2);
	});

	it('keeps the cookies of two jobs at once apart', async () => {
		const bothLoggedIn = deferred();
		let loggedIn = 0;
		model.does(async (shown) => {
			const name = /Log in as (\w+)/.exec(JSON.stringify(shown.messages))?.[1] ?? '';
			const { page } = shown;
			if (page.includes('heading "Hello')) {
				if (++loggedIn === 2) bothLoggedIn.resolve();
				if (loggedIn <= 2) {
					await bothLoggedIn.promise;
					return { call: 'navigate', input: { url: `${shop.url}/account?again` } };
				}
				return done(/Hello \w+/.exec(page)?.[0]);
			}
			if (!page.includes(`: ${name}`)) return type(page, 'textbox "User"', name);
			if (!page.includes('(filled)')) return type(page, 'textbox "Password"', PASSWORD);
			return click(page, 'button "Log in"');
		});

		const { json, error } = await node.runAgent(
			{
				directive: '=Log in as {{ $json.name }}',
				initialUrl: `${shop.url}/login`,
				waitUntilFinished: true,
			},
			{ input: [{ name: 'ada' }, { name: 'bob' }] },
		);
		expect(error?.message).toBeUndefined();
		expect(json).toMatchObject([{ output: 'Hello ada' }, { output: 'Hello bob' }]);
	});

	it('pauses its job on Stop, holds the answer that is on its way, and goes on when resumed', async () => {
		const asked = deferred();
		const answer = deferred();
		model.does(async ({ number, page }) => {
			if (number > 1) return done(/heading "([^"]+)"/.exec(page)?.[1]);
			asked.resolve();
			await answer.promise;
			return click(page, 'link "Hammer"');
		});
		const execution = node.startAgent({
			directive: 'Open the hammer',
			initialUrl: shop.url,
			waitUntilFinished: true,
		});
		await asked.promise;
		const { id } = node.newestJob();
		await waitFor(async () => expect(await node.status(id)).toMatchObject({ status: 'running' }));

		execution.stop();
		expect((await toResult(execution.finished)).status).toBe('canceled');
		await waitFor(async () => expect(await node.status(id)).toMatchObject({ status: 'paused' }));
		answer.resolve();
		await waitFor(async () => expect(await node.status(id)).toMatchObject({ credits_used: 1 }));
		await new Promise((resolve) => setTimeout(resolve, 500));
		expect(shop.requests).not.toContain('GET /items/1');

		await node.run({ resource: 'job', operation: 'resume', parameters: { jobId: id } });
		const { json } = await node.run({
			resource: 'job',
			operation: 'wait',
			parameters: { jobId: id },
		});
		expect(json).toMatchObject([{ status: 'completed', output: 'Hammer' }]);
	});

	it('pauses its job on Stop also while the browser starts', async () => {
		model.does([done('went on')]);
		const before = node.service.jobs.newestFirst()[0];
		const execution = node.startAgent({
			directive: 'Whatever',
			initialUrl: shop.url,
			waitUntilFinished: true,
		});
		await waitFor(() => expect(node.service.jobs.newestFirst()[0]).not.toBe(before));
		const job = node.newestJob();
		expect(job.status).toBe('provisioning');

		execution.stop();
		await toResult(execution.finished);
		await waitFor(() => expect(job.status).toBe('paused'));
		await waitFor(() => expect(job.canBeTakenOver).toBe(true), 30_000);
		expect(model.arrivals.filter(({ method }) => method === 'POST')).toEqual([]);

		await node.call(`/v1/resume_job/${job.id}`, { method: 'POST' });
		await waitFor(() => expect(job.record.output).toBe('went on'), 30_000);
	});

	it('keeps a browser open for the next task, with the address from Return CDP URL', async () => {
		model.does(({ number, page }) => {
			if (number === 1) return click(page, 'link "Saw"');
			return done(/heading "([^"]+)"/.exec(page)?.[1]);
		});
		const first = await node.runAgent({
			directive: 'Open the saw',
			initialUrl: shop.url,
			waitUntilFinished: true,
			browserConfig: { keepBrowserOpen: true },
			options: { returnCdpUrl: true },
		});
		const [{ cdp_url: cdpUrl, live_url: liveUrl } = {}] = first.json;
		expect(first.json).toMatchObject([{ output: 'Saw', cdp_url: expect.any(String) as string }]);

		const second = await node.runAgent({
			directive: 'The page is open: what is it?',
			waitUntilFinished: true,
			browserConfig: { cdpUrl: String(cdpUrl), liveUrl: String(liveUrl ?? '') },
		});
		expect(second.json).toMatchObject([{ status: 'completed', output: 'Saw' }]);
		expect(shop.requests.filter((request) => request === 'GET /items/2')).toHaveLength(1);
	});

	it('lets two jobs with the profile run one after the other', async () => {
		model.does([done('one'), done('two')]);
		const { json, error } = await node.runAgent(
			{
				directive: 'Whatever',
				initialUrl: shop.url,
				waitUntilFinished: true,
				browserConfig: { useUserBrowserProfile: true },
			},
			{ input: [{}, {}] },
		);
		expect(error).toBeUndefined();
		expect(json.map(({ output }) => output).sort()).toEqual(['one', 'two']);
	});

	describe('with a saved workflow', () => {
		beforeAll(() => {
			const workflow = {
				directive: 'Say the price of {{item}}',
				initial_url: shop.url,
				inputs: [{ name: 'item', required: true }],
			};
			const file = path.join(node.service.dataFolder, 'workflows', 'price.json');
			writeFileSync(file, JSON.stringify(workflow));
		});

		/** Saves a workflow of local-service/example-workflows, which begins on a page of the shop. */
		const saveExample = (id: string, url: string) => {
			const text = readFileSync(`local-service/example-workflows/${id}.json`, 'utf8');
			writeFileSync(
				path.join(node.service.dataFolder, 'workflows', `${id}.json`),
				text.replace(/https:\/\/example.com[^"]*/, url),
			);
		};
		const run = async (parameters: Record<string, string | object>) =>
			await node.run({
				resource: 'workflow',
				operation: 'run',
				parameters: { workflowId: 'price', waitUntilFinished: true, ...parameters } as never,
			});
		const sayItem = ({ messages }: Shown) =>
			done(/Say the price of (\w+)/.exec(JSON.stringify(messages))?.[1]);

		it('fills it in by JSON', async () => {
			model.does(sayItem);
			const { json } = await run({ payloadType: 'text', payload: '{ "item": "Drill" }' });
			expect(json).toMatchObject([{ status: 'completed', output: 'Drill' }]);
		});

		it('fills it in from a text that the model maps', async () => {
			model.does((shown) =>
				shown.arrival.body.includes('fill_in')
					? { call: 'fill_in', input: { values: [{ name: 'item', value: 'Pliers' }] } }
					: sayItem(shown),
			);
			const { json } = await run({ payloadType: 'text', payload: 'the pliers, please' });
			expect(json).toMatchObject([{ status: 'completed', output: 'Pliers' }]);
		});

		it('fills in a form with three inputs, given as fields: an example', async () => {
			saveExample('contact-form', `${shop.url}/contact`);
			shop.page(
				'/contact',
				`<form action="/sent"><input aria-label="Name" name="n"><input aria-label="E-mail" name="e">
				<input aria-label="Message" name="m"><button>Send</button></form>`,
			);
			shop.page('/sent', '<h1>Thank you</h1>');
			model.does(({ messages, page }) => {
				if (page.includes('heading "Thank you"')) return done('Thank you');
				const values = [...JSON.stringify(messages[1]).matchAll(/'([^']+)'/g)].map(
					([, text]) => text,
				);
				const fields = ['Name', 'E-mail', 'Message'];
				const next = fields.findIndex((field) => !new RegExp(`"${field}".*\\]: `).test(page));
				return next === -1
					? click(page, 'button "Send"')
					: type(page, `textbox "${fields[next]}"`, values[next]!);
			});
			const { json, error } = await run({
				workflowId: 'contact-form',
				payloadType: 'fields',
				payloadFields: {
					assignments: [
						{ name: 'name', value: 'Ada Lovelace' },
						{ name: 'email', value: 'ada@example.com' },
						{ name: 'message', value: 'Hello' },
					],
				},
			});

			expect(error).toBeUndefined();
			expect(json).toMatchObject([{ status: 'completed', output: 'Thank you' }]);
			expect(shop.requests).toContain('GET /sent?n=Ada+Lovelace&e=ada%40example.com&m=Hello');
		});

		it('downloads a report, given as text: an example', async () => {
			saveExample('monthly-report', shop.url);
			model.does(({ arrival, number, page }) => {
				if (arrival.body.includes('fill_in')) {
					return {
						call: 'fill_in',
						input: { values: [{ name: 'month', value: 'October 2026' }] },
					};
				}
				expect(arrival.body).toContain('Download the report of October 2026');
				return number === 2 ? click(page, 'link "Report"') : done('report 2024.csv');
			});
			const { json } = await run({
				workflowId: 'monthly-report',
				payloadType: 'text',
				payload: 'last month, please',
				options: { downloadFiles: true },
			});

			expect(json).toMatchObject([{ status: 'completed', output: 'report 2024.csv' }]);
			expect(node.newestJob().record.files).toMatchObject([{ filename: 'report 2024.csv' }]);
		});

		it('fails without a required input, with a sentence', async () => {
			const { error } = await run({ payloadType: 'text', payload: '{}' });
			expect(error?.message).toContain("The payload has no value for the required input 'item'");
		});
	});

	it('goes on logged in when a person has logged in by hand, for whom the node waits', async () => {
		const { asked, taken } = letPersonTakeOver(({ page, number }) =>
			number === 1
				? click(page, 'button "Log in"')
				: done(/Hello \w+/.exec(page)?.[0] ?? 'Not logged in'),
		);
		const running = node.runAgent({
			directive: 'Say who is logged in',
			initialUrl: `${shop.url}/login`,
			waitUntilFinished: true,
			options: { waitWhileTakenOver: true },
		});
		await asked.promise;
		const { id, record } = node.newestJob();
		const person = await startChromium();
		const page = await person.newPage();
		await page.goto(`${node.service.url}/live/${id}/${record.liveSecret}`);
		await page.getByRole('button', { name: 'Take over' }).click();
		await page.getByText('A person has taken over').waitFor();
		taken.resolve();
		await page.keyboard.press('Tab');
		await page.keyboard.type('ada');
		await page.keyboard.press('Tab');
		await page.keyboard.type(PASSWORD);
		await page.keyboard.press('Enter');
		await waitFor(() => expect(shop.requests).toContain('GET /account'));
		await page.getByRole('button', { name: 'Hand back' }).click();

		const { json } = await running;
		expect(json).toMatchObject([{ status: 'completed', output: 'Hello ada' }]);
		await page.getByRole('heading', { name: 'Answer' }).waitFor();
		expect(await page.locator('#ending').innerText()).toContain('Hello ada');
		await person.close();
	});

	it('never shows a password that a person has typed and left in its field', async () => {
		const { asked, taken } = letPersonTakeOver(({ number, page }) => {
			if (number === 1) return click(page, 'checkbox');
			if (number === 2) return { call: 'find', input: { text: 'Password' } };
			return done(page.includes('(filled)') ? 'It is filled in' : 'It is empty');
		});
		const running = node.runAgent({
			directive: 'Wait for the person, then look',
			initialUrl: `${shop.url}/login`,
			waitUntilFinished: true,
			options: { waitWhileTakenOver: true },
		});
		await asked.promise;
		const job = node.newestJob();
		expect(job.takeOver()).toBe(true);
		taken.resolve();
		for (const key of ['Tab', 'Tab']) await job.input({ type: 'key', key });
		await job.input({ type: 'text', text: 'typed-by-a-person-7' });
		expect(job.handBack()).toBe(true);

		const { json } = await running;
		expect(json).toMatchObject([{ status: 'completed', output: 'It is filled in' }]);
		const folder = path.join(node.service.dataFolder, 'jobs', job.id);
		const texts = [
			...model.arrivals.map(({ body }) => body),
			...node.lines,
			...readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8')),
		];
		expect(texts.filter((text) => text.includes('typed-by-a-person-7'))).toEqual([]);
	});

	it('logs what is done without what a page shows', async () => {
		model.does(({ number, page }) => (number === 1 ? click(page, 'link "Level"') : done('ok')));
		await node.runAgent({ directive: 'Open it', initialUrl: shop.url, waitUntilFinished: true });
		const log = node.lines.join('\n');
		expect(log).toMatch(/job_\w+ started: agent, model local\/scripted/);
		expect(log).toMatch(new RegExp(`step 1: click ${shop.host}, \\d+ ms, \\d+\\+20 tokens`));
		expect(log).toMatch(/completed after 2 steps and \d+ s/);
		for (const item of ITEMS) expect(log).not.toContain(item);
		expect(log).not.toContain(node.service.apiKey);
	});
});
