import { runTask, type TaskEnd } from '../support/runTask';
import { useBrowser } from '../support/useBrowser';
import { type ModelAction, refOf, useModelServer } from '../support/useModelServer';
import { PASSWORD, useShop } from '../support/useShop';

const shop = useShop();
const model = useModelServer();
const test = useBrowser(() => ({ allowedHosts: [shop.host] }));

const DONE: ModelAction = { call: 'done', input: { output: 'The answer' } };

/** All that the model was shown, without what it has said itself. */
function shown(): string {
	return model.arrivals
		.map(({ body }) => {
			const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
			return messages
				.filter(({ role }) => role !== 'assistant')
				.map(({ content }) => String(content))
				.join('\n');
		})
		.join('\n');
}

/** All that is recorded of the steps. */
function recorded({ steps }: TaskEnd): string {
	return JSON.stringify(steps.map(({ screenshot: _screenshot, ...rest }) => rest));
}

describe('A password', () => {
	it.each([
		['a plain one', PASSWORD],
		['one that YAML quotes', `it's "quoted": \\ # - yes`],
		['one with several spaces', 'four  words  with   spaces'],
		['one that looks like a number', '20240131'],
		// No hexadecimal digits: the lines around a page bear random ones.
		['one of three characters', 'zQ7'],
		['one of other alphabets', 'Пароль-密码'],
	])('that a person has left in its field is never shown: %s', async (_label, password) => {
		const page = test.browser.page();
		await page.goto(`${shop.url}/login`);
		await page.getByLabel('Password').fill(password);
		model.does([{ call: 'find', input: { text: 'Password' } }, DONE]);

		const end = await runTask(test, model);

		expect(end.output).toBe('The answer');
		expect(shown()).toMatch(/textbox "Password" .*: "?\(filled\)"?$/m);
		for (const text of [shown(), recorded(end)]) expect(text).not.toContain(password);
		expect(shown()).not.toContain(JSON.stringify(password).slice(1, -1));
	});

	it('in a field with a placeholder, a frame or a shadow root is not shown either', async () => {
		shop.page(
			'/fields',
			`<input type="password" placeholder="Your password" value="in-placeholder">
			<input type="PASSWORD" value="in-capitals">
			<iframe srcdoc="<input type='password' value='in-a-frame'>"></iframe>
			<div id="host"></div><script>
			document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML =
				'<input type="password" value="in-a-shadow">'</script>`,
		);
		model.does([{ call: 'find', input: { text: 'in-a' } }, DONE]);

		await runTask(test, model, { initialUrl: `${shop.url}/fields` });

		expect(shown().match(/\(filled\)/g)?.length).toBeGreaterThanOrEqual(4);
		expect(shown()).not.toMatch(/in-(?:placeholder|capitals|a-frame|a-shadow)/);
	});

	it('of a page that has too many keeps the page from being shown', async () => {
		const fields = Array.from(
			{ length: 60 },
			(_, index) => `<input type=password value=many-${index}>`,
		);
		shop.page('/many', fields.join(''));
		model.does([DONE]);

		await runTask(test, model, { initialUrl: `${shop.url}/many` });

		expect(shown()).toContain('The content of this page can not be read');
		expect(shown()).not.toContain('many-1');
	});

	it('can not be searched for', async () => {
		const page = test.browser.page();
		await page.goto(`${shop.url}/login`);
		await page.getByLabel('Password').fill(PASSWORD);
		model.does([{ call: 'find', input: { text: PASSWORD.slice(0, 8) } }, DONE]);

		await runTask(test, model);

		expect(shown()).toContain('Nothing on this page contains');
	});

	it('that a page repeats elsewhere is hidden there, too, and later', async () => {
		shop.page(
			'/repeat',
			`<title>Title ${PASSWORD}</title><form action="/repeated"><input type="password" name="p"
			value="${PASSWORD}"><button aria-label="Send ${PASSWORD}">Send</button></form>`,
		);
		shop.page('/repeated', `<h1>You said ${PASSWORD}</h1>`);
		model.does(({ number, page }) =>
			number > 1 ? DONE : { call: 'click', input: { ref: refOf(page, 'button') } },
		);

		const end = await runTask(test, model, { initialUrl: `${shop.url}/repeat` });

		expect(end.steps[1]).toMatchObject({
			action: 'Clicked button "Send (filled)"',
			address: `${shop.url}/repeated?p=(filled)`,
		});
		for (const text of [shown(), recorded(end)]) expect(text).not.toContain(PASSWORD);
	});

	it.each([false, true])(
		'that the agent types is in its call only; submitted: %p',
		async (submit) => {
			model.does(({ number, page }) => {
				if (number > 1) return DONE;
				const ref = refOf(page, 'textbox "Password"');
				return {
					call: 'type',
					input: { ref, text: PASSWORD, submit, note: `Typed ${PASSWORD}` },
				};
			});

			const end = await runTask(test, model, { initialUrl: `${shop.url}/login` });

			expect(end.steps[1]).toMatchObject({
				action: `Filled textbox "Password"${submit ? ' and pressed Enter' : ''}`,
				address: `${shop.url}/${submit ? 'account' : 'login'}`,
				note: 'Typed (filled)',
			});
			for (const text of [shown(), recorded(end)]) expect(text).not.toContain(PASSWORD);
		},
	);

	it('is not in the history, even if the agent types it where no field is', async () => {
		model.does([{ call: 'type', input: { ref: 'e999', text: PASSWORD } }, DONE]);

		const end = await runTask(test, model, { initialUrl: `${shop.url}/login` });

		expect(recorded(end)).not.toContain(PASSWORD);
	});
});
